% The vessels and areas of events.txt and manoeuvres.txt.
vessel_type(carla, cargo).
vessel_type(tessa, tanker).
vessel_type(tom, tug).
vessel_type(pia, pilot).
vessel_type(finn, fishing).
vessel_type(rita, rescue).

area_kind(west_coast, coast).
area_kind(harbour, port).
area_kind(roads, anchorage).
area_kind(grounds, fishing).
