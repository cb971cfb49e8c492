% The two vessels and the areas of the Brest data set (brest-two-vessels). The kinds of the areas follow from their ids;
% the zones of 5 km are not used. The data set does not have the types of the vessels: both go at some 20 knots between
% the same two ports, so they are classified as passenger vessels.
vessel_type(227574020, passenger).
vessel_type(227705102, passenger).

area_kind(nearCoast_27002, coast).
area_kind(nearCoast_27135, coast).
area_kind(nearPorts_27045, port).
area_kind(nearPorts_27048, port).
area_kind(anchorage_27003, anchorage).
area_kind(anchorage_27004, anchorage).
area_kind(anchorage_27005, anchorage).
area_kind(anchorage_27008, anchorage).
area_kind(anchorage_27009, anchorage).
area_kind(natura_27824, protected).
