% The vehicles of events.txt: their types, speed limits in km/h and tanks in litres.
vehicle_type(van_1, van).
vehicle_type(truck_1, truck).
vehicle_type(truck_2, truck).
vehicle_type(bus_1, bus).
vehicle_type(fridge_1, fridge_truck).

speed_limit(van_1, 110).
speed_limit(truck_1, 80).
speed_limit(truck_2, 60).
speed_limit(bus_1, 80).
speed_limit(fridge_1, 80).

tank(van_1, 70).
tank(truck_1, 400).
tank(truck_2, 400).
tank(bus_1, 250).
tank(fridge_1, 300).
