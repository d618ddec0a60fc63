"""The hand-written tables of the demonstration corpus: name pools, filler words and sentence templates.

Template syntax, all of it whitespace-tokenised beforehand:

* ``{pool}`` draws a fresh name; ``{pool1}`` is bound, so that the same document always means the same name by it;
* ``{pool1:ORG}`` overrides the type of the pool, which is how a town becomes its football club;
* ``[Bank of {town1}/ORG]`` is one mention, slots and all; a slot glued to other text (``{city1}-based``) is no mention;
* ``<a|b>`` chooses one wording, a leading ``^`` sets the sentence in capitals, and ``the:Danube`` in a pool stands for
  an article before the mention, outside of it; ``{^city1}`` sets a dateline in capitals.
"""

from typing import NamedTuple


class Pool(NamedTuple):
    """Names of one kind, with the type that they carry unless a template overrides it."""

    type: str
    names: tuple[str, ...]


class Genre(NamedTuple):
    """The sentence templates of one kind of document; `train_only` and `test_only` keep the two sides apart."""

    weight: int
    openers: tuple[str, ...]
    body: tuple[str, ...]
    plain: tuple[str, ...]
    train_only: tuple[str, ...]
    test_only: tuple[str, ...]
    social: bool = False


def _names(text: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in text.split(";") if name.strip())


def _rows(text: str) -> tuple[str, ...]:
    return tuple(row.strip() for row in text.splitlines() if row.strip())


# Given names and surnames are joined at random; the surnames are rare or invented, so that no public figure is meant.
GIVEN_NAMES = _names("""
    Anneke; Tobias; Marisol; Keiran; Ottilie; Femi; Ruairi; Yasmin; Bogdan; Celeste; Dorian; Ximena; Halvard; Ingrid;
    Jonty; Katya; Leopold; Mireille; Nadia; Oskar; Priya; Quentin; Rosalind; Stellan; Tamsin; Umberto; Vesna; Wilhelmina;
    Yusuf; Zelda; Alasdair; Bettina; Cosmo; Delphine; Emeka; Fiorella; Gideon; Hyacinth; Ismael; Jolanta; Kofi; Lucasz;
    Maeve; Niamh; Orla; Piotr; Rasmus; Saoirse; Thandiwe; Ulrich; Grace; Frank; Mark; Faith; Dale; Wei; Haruko; Anil;
    Leila; Tariq
""")
SURNAMES = _names("""
    Varnholt; Okwuosa; Thistlewood; Marchbanks; Hroch; Delacourtine; Ainscough; Bramhall-Lee; Czernik; Dunstable;
    Eskelund; Fairweather-Oke; Gantry; Halloran-Voss; Ibekwe-Smart; Jorvik; Kestelman; Lindqvarn; Mbatheni; Nakagori;
    Osterhagen; Pettibone; Quillfeather; Rademaekers; Sorrentelli; Tarrant; Uddingston; Vasilenka; Wetherspoon-Ray;
    Yarborough; Zubrick; Abernethie; Brackenbury; Colquharn; Dragomirov; Ellingsworth; Farquhan; Grimaldo; Hjelmstad;
    Inverarity; Kapoorian; Lathbury; Mockridge; Nethercott; Ormsbee; Penhaligan; Rintoul; Stavely; Trevanion; Umunna-Bell;
    van der Meulen; de la Croix; Winterbourne; Yilmazer; Zandberg; O'Dalaigh; Tanakura; Solheimer; Bastarache; Kowalewicz
""")

POOLS: dict[str, Pool] = {
    # Trap: surnames and given names that are also places, and label-shifting given names, among the people.
    "twinper": Pool(
        "PER",
        _names("""
            Dana Lincoln; Petra Jordan; Amos Houston; Ivo Santander; Lourdes Preston; Nils Carlisle; Greta Bolton;
            Abel Kent; Odile Paris; Marek Burnley; Tess Valencia; Hanne Austin; Ludo Georgia; Imre Madison; Colm Hexley;
            Ada Skelby
        """),
    ),
    # Trap: a single word that is a person, a place or a club, as the sentence has it.
    "twin": Pool(
        "LOC",
        _names("""
            Lincoln; Jordan; Houston; Santander; Preston; Carlisle; Bolton; Kent; Paris; Burnley; Valencia; Austin;
            Georgia; Madison; Hexley; Skelby
        """),
    ),
    # Trap: the same, for towns whose club goes by the name of the town.
    "clubtown": Pool(
        "ORG",
        _names(
            "Lincoln; Santander; Preston; Carlisle; Bolton; Burnley; Valencia; Hexley; Skelby; Austin; Houston; Marlow"
        ),
    ),
    # Trap: given names that are everyday words; the training side writes these words as words (see `train_only`).
    "wordper": Pool(
        "PER",
        _names("""
            Will Tarrant; Rose Adeyoke; Hope Lindqvarn; May Osterhagen; Summer Rintoul; Art Mockridge; Bill Zubrick;
            Joy Nethercott; Chase Ormsbee; Drew Stavely; Pat Winterbourne; Iris Colquharn
        """),
    ),
    "town": Pool(
        "LOC",
        _names("""
            Harrowby; Calder Bridge; Wexcombe; Stanmoor; Port Ellery; Dunmarsh; Kettlewick; Aldermere; Tarnholm; Skelby;
            Hexley; Brackley Cross; Saltfleet; Eastwater; Glenorrin; Marlow Heath; Rothmere; Ashgrove; Penhallow;
            Lower Sedge; Fenwick Bay; Thornaby Mill; Crossgate; Lindow; Garstang Ferry; Ravensholt; Ullsmere; Barrowdale;
            Lincoln; Preston; Carlisle; Bolton; Burnley; Santander; Valencia; Leeds; Whitcombe; Mill Hope; Union Point;
            Oxmoor; Kinlarig; Staveley
        """),
    ),
    "city": Pool(
        "LOC",
        _names("""
            Oslo; Nairobi; Lisbon; Helsinki; Montevideo; Jakarta; Warsaw; Tallinn; Accra; Lima; Seoul; Vienna;
            Cape Town; Ottawa; Buenos Aires; Hanoi; Dublin; Casablanca; Brussels; Riga; Kuala Lumpur; Athens; Geneva;
            Bogota; Dakar; Prague; Paris; San Sebastian; Porto; Gdansk; New York; Osaka; Houston; Austin; Ljubljana;
            Quito; Tbilisi; Windhoek; Lyon; Bergen
        """),
    ),
    "capital": Pool(
        "LOC",
        _names("""
            Oslo; Nairobi; Lisbon; Helsinki; Montevideo; Jakarta; Warsaw; Tallinn; Accra; Lima; Seoul; Vienna; Ottawa;
            Hanoi; Dublin; Brussels; Riga; Athens; Bogota; Prague; Ljubljana; Quito; Tbilisi; Paris
        """),
    ),
    "country": Pool(
        "LOC",
        _names("""
            Norway; Kenya; Portugal; Finland; Uruguay; Indonesia; Poland; Estonia; Ghana; Peru; South Korea; Austria;
            Canada; Vietnam; Ireland; Morocco; Belgium; Latvia; Greece; Jordan; Georgia; Chile; New Zealand; Sri Lanka;
            Iceland; Namibia
        """),
    ),
    "region": Pool(
        "LOC",
        _names("""
            the:Andes; Cape Merrow; Mount Ellery; the:Pennines; the:Skelby Marshes; the:Isle of Carrow; Sedge Valley;
            Kent; the:Arctic Circle; Carrow Point; the:Lindow Fells
        """),
    ),
    "water": Pool(
        "LOC",
        _names("""
            the:Danube; the:Baltic Sea; Lake Victoria; the:River Tarn; the:Gulf of Finland; Lake Orrin;
            the:Bay of Biscay; the:Strait of Ormsay; the:Calder; Sedge Water; the:River Ullock
        """),
    ),
    "carrier": Pool(
        "ORG",
        _names(
            "Tessaly Air; Oakline Railways; Northern Ferries; Halden Air; Air Carrow; Signal Rail"
        ),
    ),
    "utility": Pool(
        "ORG",
        _names(
            "Solvanta Energy; Northlight Power; Orrin Electric; Ember Power and Light; Tarn Hydro"
        ),
    ),
    "stadium": Pool(
        "LOC",
        _names("""
            Mossbank Park; the:Riverside Arena; Bellfield Stadium; the:Tarn Bowl; Gasworks Lane; Union Park; the:Orchard Ground
        """),
    ),
    "venue": Pool(
        "LOC",
        _names("""
            Mossbank Park; the:Riverside Arena; St Brannoc 's Hall; Gallowgate Theatre; the:Old Corn Exchange;
            the:Hope Street Library; Bellfield Stadium; the:Queen Maud Concert Hall; Tannery Wharf; the:Anchor Rooms;
            Ferrymans Hall; the:Palace of Science and Industry
        """),
    ),
    "street": Pool(
        "LOC",
        _names("""
            Cobblers Lane; Union Street; Victoria Square; Harbour Road; Millennium Bridge; Rose Lane; Quarry Road;
            Bank Street; Ferrymans Quay; May Terrace; St Brannoc 's Hill; Orchard Close
        """),
    ),
    "club": Pool(
        "ORG",
        _names("""
            Harrowby Rovers; Stanmoor Albion; Dunmarsh United; Union Kettlewick; Aldermere Town; Real Tarnholm;
            Wexcombe Wasps; Port Ellery Athletic; Rothmere Wanderers; Ashgrove Ladies; Racing Saltfleet;
            Penhallow Harriers; Glenorrin Thistle; Crossgate County; Oslo Polar Bears; Lindow Lions; Dynamo Ullsmere;
            Barrowdale Hotspur; Leeds Ravens; Fenwick Bay Sharks
        """),
    ),
    "company": Pool(
        "ORG",
        _names("""
            Veltrano; Norrland Timber; Brightwater Foods; Quillon Systems; Halden & Pryce; Orbitelle;
            Castellan Motors; Tessaly Freight;
            Pinnock Steel; Nordhavn Shipping; Sableworks;
            Ferro Atlantica; Lumenta; Greyfriars Insurance; Omnivar; Baxter Dunne Partners; Zephyrine; Ellery Instruments;
            Solvanta Energy; Mirador Group; Calyx Pharma; Oakline Railways; Trident Paper Mills; Vanterra;
            Hollis and Thorne;
            Juno Robotics; Copperfield Telecom
        """),
    ),
    # Trap: brands that are everyday words, which the training side writes as words, mostly.
    "brand": Pool(
        "ORG",
        _names("Orchard; Lantern; Kite; Ember; Signal; Harbour; Pebble; Compass; Thistle; Anchor"),
    ),
    # Trap: one bank whose registered name coordinates two places, against two banks that are merely listed.
    "bank": Pool(
        "ORG",
        _names("""
            Bank of Leith and Fife; Bank of Ormsay; Union Bank of Tarnholm; Bank of Calder and Sedge; First Harbour Bank;
            Bank of Accra; Credit Union of Lower Sedge; Bank of Riga and Tallinn; Savings Bank of Kinlarig
        """),
    ),
    # Trap: long names, with commas and conjunctions inside.
    "ministry": Pool(
        "ORG",
        _names("""
            Ministry of Agriculture , Fisheries and Rural Affairs; Ministry of Finance;
            Department for Transport and Harbours; Ministry of Culture , Sport and the Islands;
            Office for Budget Forecasts; National Agency for Water and Soil; Ministry of Justice;
            Department of Public Works; Federal Office of Civil Aviation and Ports; Ministry of Health;
            Commission for the Protection of Rivers and Wetlands; Ministry of Energy , Mines and Natural Resources
        """),
    ),
    "uni": Pool(
        "ORG",
        _names("""
            the:University of Leeds; the:University of Ormsay; Northmoor University;
            the:University of Leeds Department of Chemistry; the:Helsinki School of Marine Engineering;
            the:University of Tarnholm; the:Institute for Polar and Ocean Research;
            Northmoor University Department of Applied Hydrology; Carrow College; the:University of Accra Faculty of Law;
            the:Royal Skelby Institute of Science and Letters; the:Technical University of Gdansk;
            the:Kinlarig Centre for Seabird Studies
        """),
    ),
    "treasury": Pool(
        "ORG",
        _names(
            "Ministry of Finance; Office for Budget Forecasts; Ministry of Trade and Industry; National Bureau of Wages"
        ),
    ),
    "campus": Pool(
        "ORG",
        _names(
            "the:University of Leeds; the:University of Ormsay; Northmoor University; Carrow College"
        ),
    ),
    "party": Pool(
        "ORG",
        _names("""
            Green Alliance; Union of Progress; Liberal Centre; National Farmers Bloc; Workers and Tenants Party;
            Civic Forum; Unionist Front; Party of Hope and Renewal; Reform List; Coastal Party; New Compass
        """),
    ),
    "agency": Pool(
        "ORG",
        _names("""
            European Union; World Food Council; North Sea Cod Board; World Maritime League; European Rivers Federation;
            Arctic Forum; International Bureau of Weights and Tides; Union of Island States; Red Lantern Society;
            Delta Doctors Fund
        """),
    ),
    "union": Pool(
        "ORG",
        _names("""
            Seafarers Union; Rail and Dock Workers Union; Union of Bakers and Millers;
            National Union of Paper Workers
        """),
    ),
    "shop": Pool(
        "ORG",
        _names("""
            Kettle 's Bakery; Marrow 's; Hollis and Daughters; Pinnock Ironmongers; Copperfield Books; Lathbury 's;
            The Button Box; Anchor Stores
        """),
    ),
    "rescue": Pool(
        "ORG",
        _names("""
            Coastguard Volunteers of Ellery; Ormsay Mountain Rescue; Kettlewick Fire Brigade; Hexley Borough Council;
            Skelby Parish Council; Queen Maud Infirmary; Sedge Valley Lifeboat Trust; Rothmere Fire and Rescue Service
        """),
    ),
    # Trap: a masthead with its article inside the name, and one without (see the rules in the README).
    "thepaper": Pool(
        "ORG",
        _names(
            "The Calder Times; The Ormsay Mail; The New York Lantern; The Northern Ledger; The Lisbon Courier; The Evening Post"
        ),
    ),
    "paper": Pool(
        "ORG",
        _names(
            "Ostrava Herald; Skelby Gazette; Dublin Dispatch; New York Register; Baltic Observer; Harrowby Echo; Accra Star"
        ),
    ),
    "band": Pool(
        "ORG",
        _names("""
            The Paper Herons; Velvet Turnip; Ghosts of Lindow; Ember; The Tuesday Union; Salt & Static; Moss Choir;
            Night Ferry; Rose and the Anchors; Polar Radio
        """),
    ),
    "work": Pool(
        "MISC",
        _names("""
            The Last Ferry to Carrow; A Short History of Rain; Hope Is a Small Boat;
            The Lighthouse Keeper 's Third Daughter; Winter at the Hotel Baltic; Salt; Letters from the Edge of the Marsh;
            The Glass Orchard; Nobody Waters the Roses Here; Mr Pettibone Goes to Sea; What the Tide Brought Home;
            Under a Copper Sky; The Man Who Counted Herons; Marrowbone; Twelve Nights in a Borrowed Coat;
            All the Kings of Skelby; Oslo in Reverse; The Unlikely Union of Ada and Bill
        """),
    ),
    "league": Pool(
        "MISC",
        _names(
            "Baltic Cup; Coastal League; Champions Shield; Heron Trophy; Harbour Cup; League of Ports"
        ),
    ),
    "language": Pool(
        "MISC",
        _names(
            "Norwegian; Portuguese; Finnish; Polish; Vietnamese; Latvian; Greek; Icelandic; Catalan; Swahili; Basque; Welsh"
        ),
    ),
    "cup": Pool(
        "MISC",
        _names("""
            Winter Games; Baltic Cup; Skelby Half Marathon; Three Rivers Regatta; Heron Trophy; Coastal League;
            Champions Shield; Great Kettlewick Cheese Race; Harbour Cup; Tour of the Northern Isles
        """),
    ),
    "event": Pool(
        "MISC",
        _names("""
            Harbour Festival; Northern Lights Film Festival; Ormsay Book Fair; May Fair; Tarnholm Jazz Week;
            Festival of Small Boats; Hexley Film Week; Carrow Lantern Festival; Feast of St Brannoc; Summer of Song
        """),
    ),
    "award": Pool(
        "MISC",
        _names("""
            Golden Heron; Marchbanks Prize; Silver Anchor; Order of the Northern Star;
            Ormsay Medal for Letters and Science; Tarn Prize for New Work; Halden Fellowship
        """),
    ),
    "law": Pool(
        "MISC",
        _names("""
            Clean Rivers Act; Rural Broadband Bill; Fair Rents Act; Harbour Safety and Pilotage Act; Budget Act;
            Night Flights Bill; Libraries and Archives Act; Small Farms Bill
        """),
    ),
    "treaty": Pool(
        "MISC",
        _names("""
            Treaty of Ormsay; Geneva Accord on Migratory Birds; Baltic Fisheries Pact; Riga Protocol;
            Treaty of Tarnholm and Skelby
        """),
    ),
    "product": Pool(
        "MISC",
        _names(
            "Orchard Slate 4; Kite Mini; Lumenta Glow; Castellan Sprint; Omnivar One; Pebble Go; Ember 7; Veltrano X200"
        ),
    ),
    "car": Pool(
        "MISC",
        _names(
            "Castellan Sprint; Veltrano Vista; Norrland Estate; Zephyrine Coupe; Castellan Rover"
        ),
    ),
    "demonym": Pool(
        "MISC",
        _names("""
            Norwegian; Kenyan; Portuguese; Finnish; Uruguayan; Indonesian; Polish; Estonian; Ghanaian; Peruvian; Korean;
            Austrian; Canadian; Vietnamese; Irish; Moroccan; Belgian; Latvian; Greek; Jordanian; Georgian; Chilean;
            Icelandic; Catalan
        """),
    ),
}

# Words that are never names, drawn in the same way as the pools.
FILLERS: dict[str, tuple[str, ...]] = {
    "n": _names("two; three; four; five; six; seven; eight; nine"),
    "nn": tuple(str(number) for number in range(11, 98)),
    "ord": _names("11th; 12th; 13th; 14th; 15th; 16th; 17th; 18th; 19th; 20th"),
    "low": tuple(str(number) for number in range(11, 36)),
    "top": tuple(str(number) for number in range(58, 81)),
    "middle": tuple(str(number) for number in range(36, 58)),
    "knots": tuple(str(number) for number in range(38, 66)),
    "evening": _names("8 pm; 9 pm; 10 pm"),
    "fee": tuple(f"€ {amount} million" for amount in ("1.2", "2.5", "4", "7.8", "12", "19")),
    "few": _names("two; three; four"),
    "big": _names(
        "1,200; 3,400; 12,000; 18,500; 25,000; 640; 870; 2,150; 7,300; 41,000; 960; 5,600"
    ),
    "year": tuple(str(number) for number in range(1961, 2024)),
    "score": _names("1-0; 2-0; 2-1; 3-1; 3-2; 0-0; 1-1; 4-0; 4-2; 2-2; 5-1; 3-0"),
    "win": _names("2-0; 2-1; 3-1; 3-2; 4-0; 4-2; 5-1; 3-0"),
    "pct": tuple(f"{whole}.{part} percent" for whole in range(1, 13) for part in (2, 4, 7)),
    "money": tuple(
        f"{sign} {amount} million"
        for sign in ("$", "€")
        for amount in ("3.5", "12", "48", "75", "110", "260", "940")
    ),
    "day": _names("Monday; Tuesday; Wednesday; Thursday; Friday; Saturday; Sunday"),
    "month": _names(
        "January; February; March; April; May; June; July; August; September; October; November; December"
    ),
    "date": tuple(
        f"{m} {d}"
        for m in ("January", "March", "April", "May", "June", "August", "November")
        for d in (3, 9, 14, 21, 27)
    ),
    "time": _names("7 am; 8.30 am; 10 am; noon; 2.15 pm; 4 pm; 6.45 pm; 9 pm; midnight"),
    "job": _names(
        "baker; teacher; nurse; plumber; librarian; fisherman; bus driver; gardener; violinist; carpenter; vet; beekeeper"
    ),
    "thing": _names(
        "kettle; bike; sofa; phone; umbrella; laptop; coat; suitcase; lamp; toaster; fridge; guitar"
    ),
    "moan": _names("😩; 😭; 🙃; 🤦; ugh; smh; 😤"),
    "cheer": _names("😍; 🎉; 🙌; 🔥; 💙; lol; ✨; 😂"),
    "tag": _names(
        "#mondaymood; #nofilter; #justsaying; #weekendvibes; #tbt; #fail; #blessed; #rant; #smallwins; #commuterlife"
    ),
}

GENRES: dict[str, Genre] = {
    "sport": Genre(
        weight=4,
        openers=_rows("""
            ^ {town1:ORG} <stun|sink|edge> {town2:ORG} IN <CUP|LEAGUE> THRILLER
            ^ SOCCER - {town1:ORG} BEAT {club2} {win}
            {^town1:LOC} , {date} – {per1} scored twice as {club1} beat {town2:ORG} {win} on {day} .
            Results from the {cup1} on {day} :
            IN BRIEF - {demonym} team wins the {cup1} .
        """),
        body=_rows("""
            {town1:ORG} {score} {town2:ORG}
            {town3:ORG} {score} {town4:ORG}
            {club1} <host|visit|face> {town3:ORG} on {day} , with kick-off at <noon|3 pm|5.30 pm|7.45 pm> .
            {sur1} , who joined from {club2} in {month} , <headed in|volleyed home|tapped in> the winner after {nn} minutes .
            Coach {per2} said {club1} had " <deserved more than a point|been robbed|shown real character> " .
            " We gave everything , " said {sur2} , whose side last won at {stadium1} in {year} .
            The {demonym} <midfielder|goalkeeper|winger|full-back> {per} was sent off shortly before the break .
            {per3} of {country} won the {nn} km race ahead of {per4} of {country} .
            {sur1} 's second goal was the {ord} of the season for the striker , a club record .
            {per} , who won the {cup1} in {year} , watched from the stand .
            {town2:ORG} have not won away since {month} , and {town1:LOC} was never likely to change that .
            1. {per} ( {country} ) {nn}.4 seconds
            2. {per} ( {country} ) {nn}.7 seconds
            Fans travelled to {town1:LOC} by ferry because the railway was closed .
            {club2} have signed defender {per} from {club} for {fee} .
            Substitute {per} , on loan from {town4:ORG} , hit the bar in the {ord} minute .
            {league1} , {day} : {club1} {score} {club2} ( half-time 0-0 )
            {per2} has coached in {country} , {country} and {country} .
            {town4:ORG} 's {per} was named player of the round .
        """),
        plain=_rows("""
            The referee needed {n} minutes to check the goal on the screen .
            It was <cold|wet|windy> , the pitch was heavy and neither side <looked sharp|could pass|created much> .
            Attendance : {big} .
            The match was <stopped|delayed> for {nn} minutes because of <lightning|a power cut|crowd trouble> .
            A late penalty was <missed|saved|struck against the post> in front of {big} supporters .
            The winners go through to the <quarter-final|semi-final> on {day} .
            Tickets for the replay cost {nn} euros and go on sale on {day} at {time} .
            Both teams finished with {few} players on a yellow card .
            The captain has a knee injury and will miss {n} weeks .
        """),
        train_only=_rows("""
            Will the striker stay ? The club hopes to know by {day} .
            Hope rose briefly when the substitute hit the bar , but the union of youth and experience failed again .
            {club1} , bottom of the table , play {club2} in {town4:LOC} .
            The squad trained in {clubtown:LOC} ahead of the {cup1} .
            Manager {clubtown:PER} praised the <young|travelling> supporters .
            {clubtown:ORG} won {win} away after trailing at the break .
        """),
        test_only=_rows("""
            {clubtown1:ORG} lost in {clubtown1:LOC} for the first time since {year} , a <bitter|rare|heavy> defeat .
            Striker {clubtown1:PER} , back from injury , spared {clubtown2:ORG} further blushes with a volley in stoppage time .
            " {town1:ORG} were better than us in every department , " admitted {wordper1} .
            Grace under pressure is what the bench <asked for|needed> , and it is <what the bench got|not what they saw> .
            {clubtown2:LOC} hosted the final ; {clubtown2:ORG} , sadly for the locals , were not in it .
            Standings : {town1:ORG} {top} , {town2:ORG} {middle} , {clubtown:ORG} {low}
            Mark the date : the <return leg|replay|final> is on {day} at {evening} .
            Having already dispatched {club} and {club} , {town3:ORG} fear nobody .
        """),
    ),
    "business": Genre(
        weight=4,
        openers=_rows("""
            {^city1} , {date} – {company1} said on {day} it would buy {company2} for {money} .
            ^ {company1} TO CUT {big} JOBS IN {country1}
            Shares in {company1} <fell|rose|jumped> {pct} on {day} after the <group|supplier> <raised|cut> its forecast .
            ^ {bank1} PROFIT BEATS FORECAST
        """),
        body=_rows("""
            Chief executive {per1} told reporters in {city1} that the deal would close in {month} .
            {sur1} , a former <partner|director> at {company2} , took over in {year} .
            Analysts at {bank1} expect {company1} to report revenue of {money} .
            The {city1}-based group employs {big} people in {country1} and {country2} .
            {company1} 's main rival , {company2} , declined to comment .
            The {ministry1} must approve the sale .
            " There is room for both of us , " {per2} of {company2} said .
            {thepaper} first reported the talks on {day} .
            The story was confirmed by the {paper} .
            {company1} opened its first factory outside {country1} in {year} , near {town1:LOC} .
            Lenders including the {bank1} and {company} have agreed to extend the loan .
            Sales of the {product1} , launched in {month} , were <weaker|stronger> than expected .
            Workers at the {town1:LOC} plant , most of them members of the {union} , voted to strike .
            {company2} , a {city2}-based <start-up|shipper|lender> , was founded by {per} in {year} .
            {company2} shares closed at {nn}.5 in {city2} .
            {demonym} <exports|wages|farm prices> rose {pct} in {month} , the {treasury} said .
            {per2} , whose family comes from {town1:LOC} , owns {pct} of {company2} .
            The {agency1} fined {company1} {money} in {year} .
            {company1} - {company2} talks stall , says the {paper}
            Its {brand} range is sold in {country2} only .
        """),
        plain=_rows("""
            Profit before tax <rose|fell> to {money} in the three months to {month} .
            The board will meet on {day} to discuss the dividend .
            Higher <energy|shipping|labour> costs are expected to weigh on margins for {n} more quarters .
            Oil was <little changed|slightly higher|lower> in early trading .
            The company did not say how many jobs would go .
            Inflation slowed to {pct} in {month} , <below|above> forecasts .
            Investors had <hoped for|feared> worse , one trader said .
            The central bank left its main rate unchanged at {pct} .
        """),
        train_only=_rows("""
            The bank said on {day} that the union had rejected an offer of {pct} .
            Prices rose in May , and a further rise is likely by {month} .
            Bank shares led the market higher , and the orchard business was sold .
            The signal from the harbour was clear : a lantern maker , a compass maker and a kite maker all cut prices .
            The anchor tenant , a pebble and ember of the old high street , is leaving .
            {brand} 's app was downloaded {big} times .
            Signal failures and a broken anchor kept ships in harbour for {n} days .
        """),
        test_only=_rows("""
            {brand1} , the maker of the {product1} , is in talks with {brand2} about a merger .
            Nobody at {brand1} would say whether {wordper1} had been told .
            The [Bank of {town1}/ORG] and {company2} are both said to be interested .
            Customers of {bank1} woke up to empty accounts on {day} , and {bank1} has yet to explain why .
            {twin1:PER} , who founded {brand2} in a {twin1:LOC} garage , still owns {pct} of it .
            A spokeswoman for the {ministry1} referred questions to the {ministry} .
            Hollow promises , the unions said ; <orchard owners|lantern makers|kite makers> had heard them all before .
            Frank exchanges followed at the annual meeting , where pay was put to a vote .
            In a note to clients , {company} and {company} called the {city2} - based lender " a bargain " .
        """),
    ),
    "politics": Genre(
        weight=4,
        openers=_rows("""
            {^capital1} , {date} – Parliament <passed|rejected> the {law1} on {day} by {top} votes to {low} .
            ^ {party1} WINS VOTE IN {capital1}
            {per1} , leader of the {party1} , will face a confidence vote on {day} .
            Talks between {country1} and {country2} <resumed|collapsed|began> in {capital1} on {day} .
        """),
        body=_rows("""
            Prime Minister {per1} called the {law1} " <a fair compromise|a disgrace|long overdue> " .
            {sur1} 's {party1} holds {nn} seats , the {party2} {nn} .
            Foreign Minister {per2} is due in {capital2} on {day} for talks with {demonym} officials .
            {capital1} has accused {capital2} of breaking the {treaty1} .
            The {ministry1} said it had not seen the letter .
            " {country1} will not wait , " {sur2} told {thepaper} .
            A poll for the {paper} put the {party1} on {low} percent and the {party2} on {low} percent .
            President {per} of {country2} <welcomed|regretted> the decision .
            The {agency1} urged {country1} to let its inspectors in .
            {sur1} , a former {job} from {town1:LOC} , entered politics in {year} .
            Members of the {party2} walked out when {per3} rose to speak .
            {demonym} and {demonym} diplomats met at {venue} for the <third|fourth|second> time this year .
            Under the {treaty1} , all ships entering {water1} must carry a pilot .
            Thousands marched from {street1} to {street2} against the <bill|plan|cuts> .
            {per} ( {party1} ) : {nn} votes ; {per} ( {party2} ) : {nn} votes
            The {agency1} and the {union} both oppose the {law1} .
            {country2} recalled its ambassador from {capital1} .
        """),
        plain=_rows("""
            The vote had been postponed {n} times .
            Turnout was {nn} percent at {evening} , <slightly higher|much lower> than {n} years ago .
            Opposition leaders called for an <inquiry|election|audit> .
            The government says the plan will cost {money} over {n} years .
            Polling stations close at {evening} .
            Protesters blocked the road for <an hour|two hours|most of the morning> but there were no arrests .
            A spokesman said the minister had <no plans|every reason|no wish> to resign .
            The two sides are to meet again in {month} .
        """),
        train_only=_rows("""
            May will be decisive , a senior official said , and so will June .
            Will the coalition hold ? Few in the capital would bet on it .
            The union wants a rise ; the bank wants a cut ; the party wants an election .
            Senator {twin:PER} voted against the {law1} .
            The summit in {twin:LOC} ended without a deal .
            {per} , {per} and {per} were sworn in on {day} .
        """),
        test_only=_rows("""
            Deputy {wordper1} , once of the {party2} , crossed the floor to cheers from {sur1} and {per3} .
            Asked about {twin1:LOC} , {twin1:PER} laughed and changed the subject .
            Not since the {treaty1} of {year} have {country1} , {country2} and {country} agreed on anything .
            {twin2:PER} lost {twin2:LOC} by {nn} votes .
            Officials at the {ministry1} and the {ministry2} blame each other .
            Faith in the process is low , and summer recess will not help .
            Whether {capital1} likes it or not , {sur2} wrote in {thepaper} , the {law} is dead .
            The {party1} 's man in {town1:LOC} , {per} , is a {demonym}-born {job} .
        """),
    ),
    "weather": Genre(
        weight=2,
        openers=_rows("""
            {^town1:LOC} , {date} – Floods cut off {town1:LOC} and {n} villages along {water1} on {day} .
            ^ STORM LEAVES {big} HOMES DARK IN {town1:LOC}
            Outlook for {town1:LOC} and {town2:LOC} :
            Heavy snow closed the airport at {city1} for a second day on {day} .
        """),
        body=_rows("""
            {town2:LOC} : cloudy , high {low} , wind light .
            {town3:LOC} : sunny spells , high {low} , rain by {time} .
            The {rescue1} sent {n} boats from {town2:LOC} to reach families on {street1} .
            {per1} , a {job} from {town1:LOC} , said the water rose to the windows within {nn} minutes .
            Ferries between {town1:LOC} and {town3:LOC} were cancelled until {day} .
            Forecasters at {campus1} expect the storm to cross {region1} by {time} .
            " I have never seen anything like it , " {sur1} said .
            {water1} froze over for the first time since {year} .
            A {town2}-based charity has taken in {nn} <dogs|sheep|horses> from {town1:LOC} .
            Trains operated by {carrier} were held at {town2:LOC} .
            Power company {utility1} said {big} customers were without electricity .
            The {ministry1} has asked {country} for helicopters .
            A plane of the {agency} with {nn} tonnes of blankets landed in {city1} at {time} .
            {carrier} cancelled all flights from {city1} to {city} .
            The last such flood , in {year} , destroyed {venue1} and half of {street1} .
        """),
        plain=_rows("""
            Winds reached {knots} knots overnight and <trees|fences|power lines> were down across the county .
            No injuries were reported .
            Drivers were told to stay at home unless the journey was <essential|urgent> .
            Rain will clear by {time} , leaving a <dry|chilly|bright> end to the day .
            Schools stayed shut on {day} and are unlikely to open before {day} .
            More snow is expected above {big} metres .
            The river was still rising at {time} .
        """),
        train_only=_rows("""
            May was the wettest month on record , and June may be wetter .
            Hope is fading for {n} fishermen missing off {water1} .
            The rose garden and the orchard were under a metre of water .
            Snow fell in {twin:LOC} and {twin:LOC} .
        """),
        test_only=_rows("""
            Pat answers will not do , said {wordper1} , whose kitchen is still under water .
            {twin1:LOC} and the country around it took the worst of it ; {twin1:PER} , the mayor , called in the army .
            From {town1:LOC} to {town2:LOC} , and on to {town3:LOC} and {region1} , the lights went out .
            Grace periods on insurance claims will run to {month} .
            Evacuees were taken in at {venue1} by the {rescue1} and at {venue2} by the {rescue} .
        """),
    ),
    "culture": Genre(
        weight=3,
        openers=_rows("""
            {per1} has won the {award1} for the novel " {work1} " .
            ^ REVIEW : {work1}
            {^city1} , {date} – The {event1} opened on {day} with {per1} 's film " {work1} " .
            {band1} will play {n} nights at {venue1} in {month} .
        """),
        body=_rows("""
            The {demonym} <director|composer|novelist> {per2} makes a brief appearance in " {work1} " .
            {sur1} was born in {town1:LOC} and studied at {uni1} .
            " {work1} " was <translated into|staged in|reissued in> {language} in {year} .
            {thepaper} called it " the best thing {sur1} has done " .
            Critics at the {paper} were less kind .
            {band1} recorded their second album , {work2} , in a barn near {town1:LOC} .
            The {city1}-born <painter|drummer> {per} designed the sleeve .
            Singer {per3} left {band1} in {year} to form {band2} .
            The show moves from {venue1} to {venue2} on {date} .
            {sur1} follows {per} and {per} , who shared the {award1} last year .
            This year 's {event1} is sponsored by {company} .
            A {language} version of {work1} opens in {city1} in {month} .
            The exhibition was paid for by {company1} and the {ministry} .
            {per} reads from {work2} at {venue1} on {day} .
            {work1} by {per1} , {nn} pages , published by <[Heron House/ORG]|[Marsh & Lantern Press/ORG]|[Tidewater Books/ORG]>
            {sur1} speaks fluent {language} and some {language} .
        """),
        plain=_rows("""
            The plot is thin , but the <music|lighting|dialogue> is a delight .
            Doors open at {evening} and there is no support act .
            It runs for <two|three|nearly four> hours , with one interval .
            A sequel is planned for next {month} .
            The audience stood and applauded for <two|five|nearly ten> minutes .
            Early reviews have been <mixed|glowing|cruel> .
            Admission is free for under-twelves .
        """),
        train_only=_rows("""
            A rose , a lantern and a kite are all the props the play needs .
            Will it win ? It may , and there is hope .
            The chase scene is pure joy , and the iris shot that ends it is art .
            {per} 's {work} and {per} 's {work} were also on the list .
        """),
        test_only=_rows("""
            {wordper1} is a revelation in {work1} , which is more than can be said for {twin1:PER} .
            Set in {twin1:LOC} , " {work2} " is really about {city1} .
            Neither {band1} nor {band2} will be at the {event1} , organiser {wordper2} confirmed .
            Frank , <funny|tender|angry> and a little too <long|short|loud> .
            The prize , awarded by {thepaper} and the {paper} together , is worth {big} euros .
            {sur1} 's " {work1} " ( {year} ) and " {work2} " ( {year} ) are back in print .
        """),
    ),
    "science": Genre(
        weight=2,
        openers=_rows("""
            Researchers at {uni1} say they have found a {nn}-million-year-old fossil near {town1:LOC} .
            ^ {demonym} TEAM MAPS FLOOR OF {water1}
            {^city1} , {date} – A study by {uni1} links <sleep|noise|diet> to memory .
        """),
        body=_rows("""
            The team was led by Dr {per1} of {uni1} and {per2} of {uni2} .
            " This was a surprise , " said {sur1} , who runs the [Department of Physics/ORG] at {campus1} .
            Samples were collected in {country1} , {country2} and {country} over {nn} years .
            The {agency} and {company1} paid for the work .
            Professor {per3} , who was not involved , called the result " careful and convincing " .
            Birds ringed at {region1} were later seen in {country1} .
            {sur2} built the first sensor in {town1:LOC} in {year} .
            Calls to the {ministry1} were not returned .
            {company1} , a {town1}-based maker of sensors , hopes to sell the device from {month} .
            The probe , built by {company1} in {city2} , weighs {nn} kilograms .
            The {award1} went to {per} for work on the <lichens|rocks|moths> of {region1} .
            Under the {law} , the data must be made public .
            {per} , a student at {uni1} , spotted the comet from {region1} .
            The seeds , kept by the {agency} in {country1} , germinated after {nn} years .
        """),
        plain=_rows("""
            The sample was small : only {nn} volunteers finished the trial .
            Results were published on {day} after {n} years of work .
            The effect was strongest in people over {nn} .
            Further tests are planned for {month} .
            The telescope <failed|was repaired|was switched off> in {year} .
            Nobody knows why the <whales|eels|swallows> turned back .
        """),
        train_only=_rows("""
            The kite , a bird once common here , may return , and there is hope for the iris too .
            A weak signal from the harbour buoy was picked up at {time} .
            {per} of {uni} disagrees .
        """),
        test_only=_rows("""
            {wordper1} , a chemist from {twin1:LOC} now at {uni2} , first doubted the numbers .
            {brand1} has licensed the method from {uni1} and , according to {twin1:PER} , already uses it .
            Co-authors include {per} , {per} and , from {uni} , {wordper2} .
            Mark-recapture counts suggest that {pct} of the eels never leave {water1} .
            The [{demonym}-{demonym}/MISC] mission , named " {work} " by its crew , lands in {month} .
        """),
    ),
    "local": Genre(
        weight=3,
        openers=_rows("""
            A {job} from {town1:LOC} has been named <neighbour|citizen|volunteer> of the year by the {paper1} .
            ^ FIRE ON {street1} : {n} TAKEN TO HOSPITAL
            Plans to close the library in {town1:LOC} have been <dropped|approved|delayed> .
            {town1:LOC} 's oldest shop , {shop1} , closes on {day} after {nn} years .
        """),
        body=_rows("""
            {per1} , {nn} , has run the bakery on {street1} since {year} .
            " People come from {town2:LOC} and even {city} , " said {sur1} .
            Councillor {per2} of the {party1} said the {rescue1} had no choice .
            {sur2} told the {paper1} that work on {street2} would start in {month} .
            The {event1} returns to {town1:LOC} on {date} .
            Police in {town2:LOC} are looking for the driver of a white {car} .
            {per3} and {per4} , both of {town1:LOC} , were fined at {town2:LOC} magistrates ' court .
            {shop1} and {company2} have offered to pay for a new roof .
            Residents of {street1} met at {venue1} on {day} .
            {sur1} 's dog , <[Biscuit/PER]|[Pepper/PER]|[Mister Tibbs/PER]> , was found {n} days later in {town3:LOC} .
            {per} , a {town2}-born {job} , will run the new <cafe|museum|nursery> .
            A {demonym} family who moved in last {month} raised the alarm .
            The {rescue1} thanked {per} for the quick call .
            {per} , formerly of {shop1} , opens a stall on {street2} on {day} .
            Born in {town2:LOC} , {sur1} moved to {town1:LOC} as a child .
            Tickets from {town1:LOC} to {city} will cost {nn} euros , {carrier} says .
        """),
        plain=_rows("""
            The road will be closed for <resurfacing|repairs|a street party> until {day} .
            Bring your own mug .
            A cat was rescued from the roof by a passing {job} .
            Tea and cakes will be served from <2|3|4> pm on {day} .
            Anyone who saw the accident is asked to call the police .
            The bus now runs every {nn} minutes , down from {nn} .
            Parking charges go up by {nn} pence in {month} .
            Bin collections move to {day} because of the holiday .
        """),
        train_only=_rows("""
            The bank on the corner , the union hall and the post office will all go .
            Hope , joy and summer are the words the children painted on the wall .
            Bill payments may be made at the counter until {day} .
            {twin:LOC} is to get a new bypass .
            The driver , named as {twin:PER} , was unhurt .
        """),
        test_only=_rows("""
            {wordper1} , {wordper2} and {per3} cut the ribbon at {venue1} .
            No one in {twin1:LOC} had heard of {twin1:PER} before {day} .
            {town1:ORG} , the football club , and {town1:LOC} , the town , have never been on good terms .
            Dale walkers should <stick to the marked path|keep dogs on a lead> until {month} .
            Letters , please , to the {paper1} or to {thepaper} .
            Trustees of {venue1} , on the corner of {street1} and {street2} , thanked {shop1} and the {bank1} .
        """),
    ),
    "posts_sport": Genre(
        weight=4,
        social=True,
        openers=_rows("""
            GOOOAL !!! {town1:ORG} {score} {clubtag2} {cheer}
            match day {cheer} {club1} v {town2:ORG} , who 's going ?
            {clubhandle1} lineup is out and no {sur1} ??? {moan}
        """),
        body=_rows("""
            RT {clubhandle1} : {per1} is your player of the month !
            {handle1} what a goal mate {cheer}
            {sur1} > {sur2} and it 's not even close
            cant believe {town1:ORG} sold {sur2} to {club2} for {fee} {moan}
            On the train to {town2:LOC} with {n} mates and zero phone battery {towntag2}
            {clubhandle1} pls sign {per} before {clubhandle2} do
            {handle2} you were at {stadium1} last nite ?? so was i !!
            {per2} is <finished|washed|class> , dont @ me
            {clubtag1} {clubtag2} {league1} tonite {cheer}
            that {demonym} keeper is unreal {cheer}
            {sur1} {sur1} {sur1} !!! get in {cheer}
            {towntag1} is rocking tonite {cheer} {clubtag1}
            is {first1:PER} even fit ? ask {clubhandle1}
        """),
        plain=_rows("""
            ref is blind i swear {moan}
            <i|we> can't watch this anymore {moan}
            {n} nil down already , turning it off {tag}
            penalty !!!!! PENALTY {cheer}
            lads it 's <1 am|2 am|midnight> on a {day} , go to bed
            my voice is gone {cheer} {tag}
            worst defending since {year} {tag}
        """),
        train_only=_rows("""
            will we ever win away ? hope so {moan}
            may as well go home {tag}
            {clubtown:ORG} away next week {cheer}
            thoughts with {clubtown:PER} , horrible tackle
        """),
        test_only=_rows("""
            {clubtown1:PER} to {town1:ORG} is DONE {cheer} here we go
            drove all the way to {clubtown1:LOC} to see {clubtown1:ORG} lose {win} {tag}
            {wordper1} my captain {cheer} {clubtag1}
            {clubhandle1} {clubhandle2} {handle1} sort it out
            grace and faith thats all i ask for {moan}
            ppl saying {sur1} is better than {sur2} need help , ask anyone in {town1:LOC}
        """),
    ),
    "posts_life": Genre(
        weight=4,
        social=True,
        openers=_rows("""
            good morning from {city1} {cheer} {citytag1}
            {orghandle1} my order is {n} days late , what is going on ?
            so {per1} just walked into the cafe on {street1} and ordered a tea {cheer}
        """),
        body=_rows("""
            {orghandle1} been on hold for {nn} minutes {moan} never using {company1} again
            {handle1} happy birthday !! see u in {city2} on {day} {cheer}
            anyone selling a {thing} near {town1:LOC} ?
            just landed in {city1} , its {low} degrees {cheer}
            The new {product1} is <overpriced|gorgeous|so slow> , change my mind
            {citytag1} to {city2} in {low} hours , thanks {carrierhandle1} {cheer}
            my {language} is terrible but the waiter was kind {cheer}
            Reading {work1} on the bus and crying {moan}
            {handle2} is that {handle1} in ur photo ??
            {company2} <app|website|helpline> down AGAIN {tag}
            moving to {country1} in {month} , tell me everything
            everyone in {town1:LOC} has the flu i think {moan}
            stuck in {town1:LOC} again , cheers {carrierhandle1} {moan}
            {first1:PER} says {company1} is hiring in {city1}
            {paper1} says its gonna rain till {day} {moan}
            {handle1} {handle2} pub on {street1} ? {time} ?
        """),
        plain=_rows("""
            who else is awake at <1 am|2 am|3 am|4.30 am> {moan}
            my {thing} broke {moan} {tag}
            coffee first , then people {tag}
            why is every {job} in this town so nice {cheer}
            lost my {thing} on the bus , its <red|green|yellow> , pls RT
            {n} alarms and i still overslept {tag}
            is it {day} yet ?
            Note to self : never buy a {thing} online .
            the cat ate my lunch {tag} {moan}
        """),
        train_only=_rows("""
            no signal , no lantern , no hope {moan}
            rose gold {thing} , worth it ?
            bank closed on a {day} , union on strike , summer cancelled {moan}
            off to {twin:LOC} for the weekend {cheer}
        """),
        test_only=_rows("""
            {brand1} deleted all my photos {moan} {brand2} would never
            {orghandle1} {orghandle2} one of you owes me {nn} quid
            thx {wordper1} for the lift home {cheer}
            {twin1:PER} moved to {twin1:LOC} of all places {cheer}
            {city1} or {city2} ? wrong answers only {tag}
            me , {wordper1} and {first1:PER} at {venue1} lastnight {cheer}
            mark my words , frank talk is over {tag}
        """),
    ),
    "posts_music": Genre(
        weight=3,
        social=True,
        openers=_rows("""
            {band1} at {venue1} tonight {cheer} {eventtag1}
            BREAKING : {handle1} has left {band1} {moan}
            ok who else is queueing for {event1} tickets
        """),
        body=_rows("""
            {bandhandle1} come to {country1} pls {cheer}
            new {band1} single is called {work1} and its perfect
            {per1} 's voice on {work1} {cheer}
            {handle1} u were amazing in {city1}
            RT {bandhandle1} : {city1} , we love you {cheer}
            {eventtag1} was better in {year} , fight me
            saw {sur1} buying crisps in {town1:LOC} , living legend
            {band2} supporting {band1} in {city2} ?? take my money
            {per2} deserved that {award} {moan}
            {first1:PER} from {band1} just liked my tweet omg {cheer}
            playlist : {band1} , {band2} , {band} {cheer}
        """),
        plain=_rows("""
            front row !!!! {cheer}
            {nn} euros for a t-shirt lol no
            sound was <awful|muddy|way too loud> but who cares {tag}
            the encore {cheer} {cheer} {cheer}
            queue is {n} hours long and its raining {moan}
            can someone pls share the setlist
        """),
        train_only=_rows("""
            pure joy , pure art {cheer}
            hope they play the old stuff , but they may not
            the rose tattoo tho {cheer}
        """),
        test_only=_rows("""
            {wordper1} on drums for {bandhandle1} , you heard it here first
            {bandhandle1} x {bandhandle2} when
            " {work1} " gets me every time , esp the {twin1:LOC} verse {moan}
            {twin1:PER} solo album out {day} {cheer} {eventtag1}
        """),
    ),
}

# Words that training writes mostly one way (as plain words, or in names) and that the test also writes the other way.
SHIFTING_WORDS = frozenset(
    _names("""
        will; rose; hope; may; summer; art; bill; joy; chase; drew; pat; iris; orchard; lantern; kite; ember; signal; harbour;
        pebble; compass; thistle; anchor; bank; union; grace; frank; mark; faith; dale
    """)
)
