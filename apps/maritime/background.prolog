% The vessels and areas of events.txt.
vessel_type(carla, cargo).
vessel_type(tessa, tanker).
vessel_type(tom, tug).
vessel_type(pia, pilot).
vessel_type(finn, fishing).

area_kind(west_coast, coast).
area_kind(harbour, port).
area_kind(roads, anchorage).
