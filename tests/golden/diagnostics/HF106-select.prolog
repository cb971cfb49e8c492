SELECT * FROM trips WHERE speed > 5;
