/** Dutch. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'stijging|toename|groei|verhoging';
const FALL = 'daling|afname|vermindering|verlaging';
const CHANGE = `verandering|wijziging|ontwikkeling|mutatie|${RISE}|${FALL}`;
const OF = 'van de|van het|van';
const MOVED = 'gestegen|gedaald|gegroeid|toegenomen|afgenomen|veranderd|gewijzigd';
const MOVES = 'steeg|stegen|daalde|daalden|groeide|groeiden|veranderde|veranderden|nam|namen';

export const DUTCH_QUESTIONS: QuestionPack = {
  name: 'dutch',
  words: {
    what: 'wat|welke|welk|wie|wiens',
    why: 'waarom|hoe komt het dat|waardoor',
    when: 'wanneer',
    how: 'hoe|waar|waarheen|waarmee',
    'how much': 'hoeveel|hoe veel|hoe hoog|hoe groot|hoe lang|hoe oud',
    'what amount': 'hoeveel geld|hoeveel kost|hoeveel kostte|hoe hoog',
    be: 'is|zijn|was|waren|bedraagt|bedroeg|bedragen|bedroegen',
    do: 'doet|doen|deed|deden|is er|zijn er|was er|waren er',
    have: 'heeft|hebben|had|hadden',
    may: 'kan|kunnen|kon|zal|zullen|zou|zouden|moet|moeten|mag|wordt|worden|werd|werden',
    not: 'niet|geen|nooit|zonder|noch|irrelevant|onbruikbaar|ongeschikt',
    article: 'de|het|een|deze|dit|die|dat',
    in: 'in|op|aan|voor|van|bij|met|door|tijdens|over|uit',
    of: OF,
    and: 'en|of|alsmede|evenals',
    to: 'tot|naar|op',
    'at time': `in|van|tussen|tijdens|voor|over|op|per|tot|en|sinds|vanaf|ten opzichte van|vergeleken met|
      eind|naar|
      aan het eind van`,
    'over time': 'van|tussen|periode|over|tijdens|vanaf',
    between: 'tussen',
    since: 'sinds|vanaf',
    span: 'in de periode|over de periode',
    until: 'tot|tot en met|t/m|naar|-|–',
    year: 'het jaar|de jaren|jaar|jaren|boekjaar|boekjaren|het boekjaar|fiscale|eindigend op|eind|einde van|ultimo|het|de',
    period: 'jaar|jaren|boekjaar|boekjaren|periode|kwartaal|maand|datum',
    percent: 'procent|%|percentage',
    rise: `${RISE}|gestegen|steeg|stegen|gegroeid|toegenomen`,
    fall: `${FALL}|gedaald|daalde|daalden|afgenomen`,
    change: CHANGE,
    changes: `${MOVED}|${MOVES}|stijg*|daal*|groei*|verander*|ontwikkel*|vergelijk*|vergeleken|verschil*|
      veroorzaak*|
      verklaar*|hoger|lager`,
    most: 'hoogste|grootste|meeste|het hoogst|het hoogste|het grootst|het grootste|maximaal|hoogst|hoger|groter',
    least:
      'laagste|kleinste|minste|het laagst|het laagste|het kleinst|het minst|minimaal|laagst|lager|kleiner',
    above: 'meer dan|hoger dan|groter dan|boven|boven de',
    below: 'minder dan|lager dan|kleiner dan|onder|onder de',
    'ask for': 'vergelijk|noem|toon|leg uit|beschrijf|bereken',
    than: 'dan',
    plus: 'plus|+',
    minus: 'minus|verminderd met|-|–|−',
    times: 'maal|keer|vermenigvuldigd met|*|×',
    'divided by': 'gedeeld door|/|÷',
    mean: 'gemiddelde van de|gemiddelde van|gemiddelde|gemiddeld',
    if: 'als|indien|wanneer|mocht',
    say: 'zeg*|vermeld*|geef|geeft|leg|noem*|meld*|licht|dan|graag|schrijf*|verklaar*|alstublieft',
    because: `omdat|doordat|wegens|vanwege|als gevolg van|door middel van|dankzij|ten gevolge van|veroorzaakt door|gedreven door|toe te schrijven aan|toegeschreven aan|te danken aan|te wijten aan|het gevolg van|met name door|gedeeltelijk gecompenseerd|deels gecompenseerd|gecompenseerd door|door hogere|door lagere|door een hogere|door een lagere|aangezien|ondersteund door`,
    'perhaps because': 'voornamelijk|hoofdzakelijk|hierdoor|daardoor',
    amount: `bedrag|bedragen|ratio|verhouding|percentage|percentages|gemiddelde|totaal|totalen|waarde|
      waarden|kosten|
      prijs|prijzen|uitgaven|lasten|omzet|omzetten|opbrengst|opbrengsten|verkopen|resultaat|resultaten|
      winst|winsten|
      verlies|verliezen|marge|marges|activa|passiva|verplichtingen|schuld|schulden|eigen vermogen|
      kasmiddelen|
      belasting|belastingen|dividend|dividenden|aandelen|medewerkers|werknemers|voorraden|voorraad|
      vorderingen|
      afschrijvingen|rente|investeringen|aantal|ebitda|balanstotaal`,
    own: 'zijn|haar|hun|diens',
    it: 'hij|zij|ze|het bedrijf|de onderneming|de groep|de vennootschap',
    this: 'dit|dat|deze',
    'this period':
      'in dat jaar|dat jaar|hetzelfde jaar|in hetzelfde jaar|die periode|dezelfde periode|in dezelfde periode',
    'and what of': 'en|of|maar|hoe zit het met|en hoe zit het met|wat is het met|hetzelfde voor',
    'at last': 'dan|ook|in plaats daarvan|alstublieft|graag',
    'before thing': 'in|voor|van|van de|van het|bij|met|op',
    'no end': `van|in|tussen|op|aan|voor|de|het|een|en|of|als|door|tot|eind|jaar|jaren|boekjaar|
      respectievelijk|is|was|zijn|
      waren|heeft|ten opzichte`,
    grade: 'totale|totaal|netto|bruto|jaarlijkse|gemiddelde|geconsolideerde',
    difference: 'verschil|verschillen',
    nameless:
      'bedrag|bedragen|waarde|waarden|onderneming|bedrijf|groep|concern|aantal|jaar|geboekt|geboekte|verantwoord|verantwoorde',
  },
  kinds: {
    'yes or no': [
      '<be>',
      '<have>',
      '<may>',
      '(steeg|stegen|daalde|daalden|groeide|groeiden|betaalde|betaalt)',
    ],
    reason: [
      '<why>',
      '(reden|redenen|oorzaak|oorzaken)',
      'wat (veroorzaakte|verklaart|dreef|leidde)',
      'waaraan (is|was|zijn|waren)',
    ],
    time: ['<when>', '(in|sinds|vanaf|tot) (welk|welke) <period>', '(welk|welke) <period>'],
    list: [
      '(welke|wat) (zijn|waren)',
      'welke (soorten|factoren|onderdelen|risico)',
      'noem',
      'noem de',
      'lijst',
    ],
    number: [
      '<how much>',
      '(welk|welke) (percentage|deel|aandeel|bedrag|aantal)',
      '(bedrag|ratio|verhouding|percentage|gemiddelde|verschil|verandering|stijging|daling|groei|toename|afname|totaal|waarde|aantal|kosten|prijs|omzet|opbrengsten|resultaat|winst|marge|balanstotaal)',
    ],
    person: ['^ [door|aan|met|van] wie'],
  },
  verdicts: ['(is|zijn|was|waren) A een B'],
  causes: [
    'waarom (is|zijn|was|waren|heeft|hebben|werd|werden) A',
    '(waarom|waardoor) A',
    '(reden|redenen|oorzaak|oorzaken) (voor|van|achter) A',
    'wat (veroorzaakte|verklaart|dreef|leidde tot) A',
    'waaraan (is|was|zijn|waren) A (toe te schrijven|te danken|te wijten)',
  ],
  definitions: ['(gedefinieerd|berekend) als', '(definieer|bereken) A als'],
  asking: [
    '(in|sinds) (welk|welke) <period>',
    '(wat|welke|welk|wie|wanneer|waar|waarom|hoe|hoeveel|hoog|groot)',
    '(is|zijn|was|waren|bedraagt|bedroeg|bedragen|heeft|hebben|had|werd|werden|wordt)',
    '(respectievelijk|alstublieft|volgens|volgende|bedrag)',
    '(op|van) (pagina|bladzijde) #number',
  ],
  answerLeads: [
    '[alstublieft|graag] (antwoord|beantwoord|geef|rond|schrijf|gebruik|druk|neem aan|negeer|vergeet)',
    'het antwoord moet',
  ],
  answerClauses: [
    '[graag] (antwoord|antwoorden) in',
    '(afgerond|rond af|rond het antwoord af) op',
    'uitgedrukt in',
  ],
  operations: [
    { op: 'none', form: 'verschil tussen een A en een B' },
    {
      op: 'percentage change',
      form: `(procentuele|procentueel|relatieve|relatief|percentuele) (${CHANGE}|<difference>) (${OF}|in|in de|in het|tussen) A`,
    },
    { op: 'percentage change', form: `(groeipercentage|groeivoet|stijgingspercentage) (${OF}) A` },
    {
      op: 'percentage change',
      form: `(met hoeveel procent|hoeveel procent|met welk percentage) (is|zijn) A (${MOVED})`,
    },
    {
      op: 'percentage change',
      form: `(met hoeveel procent|hoeveel procent|met welk percentage) (steeg|stegen|daalde|daalden|groeide|groeiden|veranderde|veranderden) A`,
    },
    { op: 'ratio', form: '(verhouding|ratio|quotiënt) tussen A en B' },
    { op: 'ratio', form: `(verhouding|ratio|quotiënt) (${OF}) A (tot|ten opzichte van|en) B` },
    { op: 'ratio', form: 'A gedeeld door B' },
    {
      op: 'percentage',
      form: `(welk percentage|hoeveel procent|welk deel|welk aandeel) (${OF}) B (is|was|zijn|waren|bestaat uit|bestond uit|komt van|kwam van|betreft|betrof) A`,
    },
    { op: 'percentage', form: `A [uitgedrukt] (als percentage|in procenten|als aandeel|in %) (${OF}) B` },
    { op: 'percentage', form: `(percentage|aandeel) (${OF}) A (in|ten opzichte van|op) B` },
    { op: 'difference', form: 'verschil in OF tussen A en B' },
    { op: 'difference', form: 'verschil tussen A en B' },
    { op: 'difference', form: `(<difference>) (${OF}|in de|in het|in|tussen) A` },
    { op: 'change', form: `(${CHANGE}|verschil) (${OF}|in de|in het|in|tussen) A` },
    { op: 'change', form: `(met hoeveel|hoeveel) (is|zijn) A (${MOVED})` },
    { op: 'sum', form: `(som|totaal) (${OF}) A, en B` },
    { op: 'none', form: '(gewogen gemiddelde|gewogen)' },
    { op: 'average of year', form: `(gemiddelde|jaargemiddelde) #year (${OF}) A` },
    { op: 'average', form: `gemiddelde (${OF}) A` },
    { op: 'average', form: '(gemiddelde|gemiddeld) A' },
    { op: 'sum', form: `som (${OF}) A` },
  ],
  uncomputed: [
    '(waarom|waardoor)',
    '^ hoe (is|zijn|heeft|hebben|ontwikkelde)',
    '(respectievelijk|respectieve|gedefinieerd als|365|gedreven)',
    'gemiddelde A verhouding',
  ],
  ofYears: [
    '(in|van) (welk|welke) (jaar|jaren|boekjaar|boekjaren)',
    '(welk|welke) (jaar|jaren|boekjaar)',
    'in hoeveel (jaren|boekjaren)',
    'hoeveel (jaren|boekjaren)',
  ],
  ofRows: [
    '(welk|welke) !(jaar*|boekjaar*|is|was|zijn|waren|percentage|deel|bedrag) A, (had|hadden|heeft|hebben|was|is|behaalde|rapporteerde)',
  ],
  compared: [
    '[in|van] (welk|welke|hoeveel) [jaar|jaren|boekjaar|boekjaren]',
    '(had|hadden|heeft|hebben|was|is|waren|zijn|behaalde|rapporteerde|in|de|het|van)',
  ],
  whole: {
    whose: '',
    about: 'van A',
    at: 'in A',
    from: 'van A',
    until: 'tot A',
    of: 'A van B',
    and: 'A en B',
  },
  pages: ['(op|van) (pagina|bladzijde) A'],
};
