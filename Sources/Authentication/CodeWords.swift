/// The words of generated codes: 1,024 short ones that are told from each other when they are read aloud.
///
/// None begins another one, and two of one length differ in two letters at least, so that a slip of a finger makes none out of
/// another.
enum CodeWords {
  /// The bits that one word carries.
  static let bits = 10

  static let all: [Substring] = list.split { $0 == " " || $0 == "\n" }

  private static let list = """
    abacus able absorb accent acid acorn adult aerial afloat agenda agile airy album alley almond aloe alpha amaze
    amber amount ample anchor angle answer antler anvil apron aqua arch arctic arena aroma arrow artist aspect aspen
    asset aster attend attic aunt autumn awake award azure bacon bagel bake ballet balm balsa bamboo banana banjo
    barge barley barrel basil bath beacon bead beard beast beaver beep beetle begin belief bell bench beret bingo
    birch bird bishop blank blend blip block bloom blouse blush boat bobbin body boil bonnet bonsai bonus book boost
    bottle bounce brain branch brass bravo breeze brick bridge brief bright bronze brook broth brown bucket buckle
    buddy budget buffet bugle build bulb bumble bumper bundle bunny burger burlap burrow bus butter button buzz cabin
    cable cactus caddy cafe calf calico camel camera camp canal candid candle canoe canvas carbon card cargo carol
    carpet cash castle cat cedar celery cellar cello chalk champ change chant chapel charm cheek cheese chef cherry
    chess chief child chime chin chisel choice choir chorus chubby cider cinder cinema circle circus citrus city civic
    clasp clean clerk clever cliff climb clinic cloak cloth cloud club coach coast cobalt cobra cocoa coffee colony
    column comb comedy comet comic condor cookie copy coral corner cosmic cosmos cotton cougar couple cousin cover cow
    crab cradle craft crane crater crayon cream credit crew crisp crocus crop cross crumb crust cube cuddle cup curry
    curve custom cycle dahlia dainty dance dapple data dawn dazzle debate decade decent delta depot depth derby desert
    design detail diary dimple dinner disc ditch diver doctor dodge dogma dollar domino donkey donut door dove dragon
    drama drape draw dress drift drill drink drive drone drum dry duet dune duplex dusk eager eagle early earth easel
    east echo edge editor effort egg elbow elect eleven elf embark emblem empire empty emu encore engine enigma enjoy
    enter entice entry equal equip era errand essay estate even evolve exact exit exotic extra fabric face factor
    falcon family famous fancy farm father faucet fedora fence fender fern ferret ferry fever fiber fiddle field
    fiesta fig film filter final finger finish fire first fish fjord flag flair flame flash fleet flight flint float
    floor flora fluffy fluid flurry flute focus folk fondue food forage forest fox fresh friend fringe frog frolic
    front frozen fruit fudge fuel funnel fuse future gadget galley gallon game gander garage garden garlic garnet
    gauge gecko genius gentle giant gift giggle give glad glass glaze glide globe glory glow glue gold goose gopher
    gown grade grand graph gravel gravy green grid groove group grove growth guard guitar gusto habit haiku hail halo
    hamlet hammer hand happy harbor harp haven hawk haze health heart hedge height helmet helper hemp herald herb
    hiker hill hinge hint hippo hobby hockey hoist hollow home honey hoof horn horse hotel hub human humor hurdle
    hydra ice icicle icon idea igloo iguana image impact index ink inlet input insect invent iris island item ivory
    ivy jacket jaguar jam jazz jeans jelly jersey jetty jewel jigsaw jingle job join joke jovial juggle juice july
    jumbo jump karma kayak keen kettle key khaki kidney kimono kind kiosk kite kitten kiwi knee koala label ladder
    lady lagoon lamb laptop laser lasso latch latte launch lavish leader leaf league lemon lemur lentil letter lilac
    lily limber lime linen lion liquid list liter little lizard llama lobe local locket logic loop lotion lotus loud
    lounge lucky lunar lunch luxury magic magma magnet magpie major mambo mammal mango mantle manual maple marble
    march margin marina market marvel mascot meadow meal mellow melody melon member memory mentor menu meow meteor
    method metro milk mimic minute mirror mix model modern modest mole molten moment month moon mosaic moss moth motor
    mound mouse movie muffin mug mural museum music napkin narrow nation native nature navy neat nebula nectar needle
    nephew nerve net nibble nickel nifty nine nomad noodle normal north nose notch nougat novel nozzle nugget number
    nurse nylon oak oasis object oblong ocean octave offer office olive omega omelet onward opal open opera optic
    orange orbit orca order organ origin ornate otter owner oxygen oyster paddle page paint pajama palace panda panel
    papaya paper parcel park party pasta pastel pastry patio patrol peach peanut pebble pecan pencil peony pepper
    person piano picket pickle picnic pigeon pillow pilot pink pixel pizza place placid planet player plenty plume
    plus podium poem polite polka polo pommel poncho pond poplar porch portal potato powder power praise prance price
    primer prism pronto proof propel proud public pulley pulse puma pupil puppet puzzle python quail quartz quest
    quick quiet quill quince quiz rabbit radar radio radish raft raisin rally ranch range rapid rattle ready recipe
    record reef refill regal region relax remedy report rescue resin rhyme ribbon rice ridge rinse ripple rivet road
    robin robot rodeo room rope royal ruby rudder ruler rumba runner runway rustic safari salad salami salmon salon
    salt salute sample satin sauna savory scale scenic school scone scout script scroll season second secret sequel
    serene series sesame shawl shelf shield shine ship shirt shoe shore shrimp signal silver siren sister sizzle skate
    sketch ski sleep sleeve slice slogan smart smile smoke smooth snack snail snow soda soft solid sonar song south
    space spark speak spell sphere spider spiral spirit splash sponge spoon sport spot spray spring sprout spruce
    square squid stable stage stamp star statue steam step stereo stork stove straw stream street strong studio sturdy
    subway sugar summer summit super swan swift swim swing switch syrup system taco tailor talent tandem tape tassel
    taste team teapot tempo tennis tent theme thorn three thumb tidy tiger tile tinsel tissue title today tomato topaz
    topic toucan trail tray treat tree trend tribe trio trophy trout truck truth tulip turban turkey turnip turtle
    tuxedo twelve twig twist uncle under unique unit upper urban useful vacuum value vault vector velvet verse vest
    video view villa violet violin vision visit vista vivid voice volume voyage wagon walk walnut walrus water weasel
    wheat white wide wild win wisdom wolf wombat wonder wool word world worthy wreath wren wrist writer yacht yarn
    yoga yogurt young zebra zenith zero zigzag zinc zipper
    """
}
