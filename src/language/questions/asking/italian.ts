/** Italian. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'aumento|incremento|crescita|rialzo';
const FALL = 'diminuzione|calo|riduzione|flessione|decremento';
const CHANGE = `variazione|cambiamento|andamento|${RISE}|${FALL}`;
const OF = `dei|degli|delle|della|dello|dell'|del|di|d'`;
const IN = `nei|negli|nelle|nella|nello|nell'|nel|dei|degli|delle|della|dello|dell'|del|di|in`;
const MOVED =
  'aumentato|aumentata|aumentati|aumentate|cresciuto|cresciuta|cresciuti|cresciute|diminuito|diminuita|diminuiti|diminuite|calato|calata|calati|calate|variato|variata|variati|variate|cambiato|cambiata|cambiati|cambiate';

export const ITALIAN_QUESTIONS: QuestionPack = {
  name: 'italian',
  words: {
    what: `cosa|che cosa|quale|quali|chi|qual|cos'`,
    why: 'perché|per quale motivo|per quali motivi|come mai',
    when: 'quando|in quale data',
    how: `come|dove|dov'|com'`,
    'how much': `quanto|quanta|quanti|quante|a quanto|di quanto|quant'`,
    'what amount': 'a quanto ammonta|a quanto ammontava|quanto costa|quanto è costato',
    be: `è|sono|era|erano|fu|furono|è stato|è stata|sono stati|sono state|ammonta a|ammontava a|ammontano a|ammontavano a`,
    do: `fa|fanno|c'è|ci sono|c'era|c'erano`,
    have: 'ha|hanno|aveva|avevano',
    may: 'può|possono|deve|devono|sarà|saranno|potrebbe',
    not: `non|nessun|nessuno|nessuna|mai|senza|né|irrilevante|inapplicabile|inadatto|inadatta`,
    article: `il|lo|la|i|gli|le|l'|un|uno|una|un'|al|allo|alla|ai|agli|alle|all'|questo|questa`,
    in: `in|nel|nello|nella|nei|negli|nelle|nell'|a|al|su|sul|per|con|da|dal|durante|tra|fra`,
    of: OF,
    and: 'e|ed|o|nonché',
    to: 'a|al',
    'at time': `in|nel|nell'|del|dell'|di|dal|da|tra|fra|durante|per|al|a|e|fino al|su|rispetto al|rispetto a|alla fine del`,
    'over time': 'dal|da|tra|fra|periodo|durante|nel periodo',
    between: 'tra|fra',
    since: 'dal|da',
    span: 'nel periodo',
    until: 'al|a|fino al|-|–',
    year: `l'anno|anno|anni|esercizio|esercizi|l'esercizio|fiscale|fiscali|chiuso al|chiuso il|chiuso|
      terminato il|fine|
      la fine del|fine del|il|gli`,
    period: 'anno|anni|esercizio|esercizi|periodo|periodi|trimestre|mese|data',
    percent: 'per cento|percento|%|percentuale',
    rise: `${RISE}|aumentat*|cresciut*`,
    fall: `${FALL}|diminuit*|calat*`,
    change: CHANGE,
    changes: `${MOVED}|aument*|cresc*|diminu*|cambi*|vari*|confront*|differ*|spieg*|caus*|miglior*|peggior*`,
    most: `più alto|più alta|più alti|più alte|più elevato|più elevata|più elevati|più elevate|più grande|
      maggiore|
      maggiori|massimo|massima|più`,
    least: 'più basso|più bassa|più bassi|più basse|più piccolo|più piccola|minore|minori|minimo|minima|meno',
    above: 'più di|maggiore di|maggiori di|superiore a|superiori a|superiore ai|oltre|sopra|superato|supera',
    below: 'meno di|minore di|minori di|inferiore a|inferiori a|inferiore ai|sotto',
    'ask for': 'confronta|elenca|mostra|spiega|descrivi|calcola|dimmi',
    than: 'di|che|del|rispetto',
    plus: 'più|+',
    minus: 'meno|-|–|−',
    times: 'moltiplicato per|moltiplicata per|*|×',
    'divided by': 'diviso per|divisa per|/|÷',
    mean: 'media di|media dei|media delle|media del|media della|media',
    if: `se|qualora|nel caso in cui|quando`,
    say: 'dillo|dica|dichi*|indic*|spieg*|segnal*|menzion*|allora|per favore|scriv*|rispond*|specific*|precis*',
    because: `perché|poiché|a causa di|a causa del|a causa della|a causa dei|a causa delle|a causa dell'|grazie a|grazie al|grazie alla|grazie alle|grazie ai|in seguito a|a seguito di|a seguito del|a seguito della|per effetto di|per effetto del|per effetto della|dovuto a|dovuta a|dovuti a|dovute a|dovuto al|dovuta al|dovuto alla|dovuta alla|dovuto all'|dovuta all'|imputabile a|imputabile al|imputabile alla|attribuibile a|attribuibile al|attribuibile alla|riconducibile a|riconducibile al|riconducibile alla|determinato da|determinata da|trainato da|trainata da|trainato dal|trainata dalla|parzialmente compensato|parzialmente compensata|in parte compensato|in parte compensata|compensato da|compensata da|dato che|in conseguenza|causato da|causata da`,
    'perhaps because': 'principalmente|prevalentemente|in quanto',
    amount: `importo|importi|rapporto|indice|tasso|tassi|percentuale|media|totale|totali|valore|valori|
      costo|costi|prezzo|
      prezzi|spesa|spese|onere|oneri|ricavo|ricavi|vendite|fatturato|risultato|utile|utili|perdita|
      perdite|margine|
      margini|attività|passività|debito|debiti|patrimonio netto|liquidità|cassa|imposta|imposte|dividendo|
      dividendi|
      azioni|dipendenti|rimanenze|crediti|ammortamenti|interessi|investimenti|numero di|ebitda`,
    own: 'suo|sua|suoi|sue|loro',
    it: `esso|essa|essi|esse|l'azienda|la società|il gruppo|l'impresa`,
    this: 'questo|ciò|quello',
    'this period': `in quell'anno|quell'anno|lo stesso anno|nello stesso anno|lo stesso periodo|nello stesso periodo`,
    'and what of': `e|ed|o|ma|che ne è di|lo stesso per`,
    'at last': 'allora|anche|invece|per favore',
    'before thing': `in|nel|nella|per|di|del|della|dell'|a|al|con|da|il|la`,
    'no end': `di|del|della|dei|delle|dello|dell'|degli|in|nel|nella|tra|fra|a|al|per|il|lo|la|i|gli|le|
      l'|e|ed|o|da|dal|su|
      fine|anno|anni|esercizio|rispettivamente|è|sono|ha|hanno`,
    grade:
      'totale|totali|netto|netta|netti|nette|lordo|lorda|annuo|annua|medio|media|consolidato|consolidata',
    difference: 'differenza|differenze|divario|scarto',
    nameless:
      'importo|importi|valore|valori|ammontare|azienda|società|gruppo|impresa|numero|anno|registrato|registrata|registrati|rilevato|rilevata',
  },
  kinds: {
    'yes or no': [
      `(la società|l'azienda|il gruppo|l'impresa) (ha|hanno|è|aveva)`,
      `(è|sono|ha|hanno|era|erano|c'è|ci sono|può|possono|deve) !(stato il|stata la)`,
    ],
    reason: [
      '<why>',
      '(motivo|motivi|causa|cause|ragione|ragioni)',
      `(cosa|che cosa) (ha|spiega|determinò|causò|trainò)`,
      'a cosa (è|sono) (dovuto|dovuta|dovuti|dovute)',
    ],
    time: [
      '<when>',
      '(in|da|di) (quale|che) <period>',
      "(quale|quali|qual) [è|è stato] [l'|il] (anno|anni|data|trimestre|esercizio|periodo|mese)",
    ],
    list: [
      'quali (sono|erano)',
      'quali (tipi|fattori|componenti)',
      'elenca',
      'elencare',
      'elencate',
      'elenco',
    ],
    number: [
      '<how much>',
      '(quale|che|qual) (percentuale|quota|parte|importo|numero)',
      '(importo|rapporto|tasso|percentuale|media|differenza|variazione|aumento|incremento|diminuzione|calo|crescita|totale|valore|numero|costo|prezzo|costi|spese|ricavi|vendite|fatturato|risultato|utile|margine)',
    ],
    person: ['^ [a|da|con|di] chi'],
  },
  verdicts: ["è A (un|una|un') B"],
  causes: [
    '(perché|per quale motivo|come mai) A',
    `(motivo|motivi|causa|cause|ragione|ragioni) (${OF}) A`,
    '(cosa|che cosa) (ha causato|ha determinato|ha trainato|ha spinto|spiega) A',
    'a cosa (è|sono) (dovuto|dovuta|dovuti|dovute) A',
  ],
  definitions: [
    '(definito|definita|calcolato|calcolata) come',
    '(definire|definisci|calcolare|calcola) A come',
  ],
  asking: [
    '(in|da) (quale|che) (anno|esercizio)',
    `(che cosa|cosa|quale|quali|qual|chi|quando|dove|perché|come|quanto|quanta|quanti|quante)`,
    `(è|sono|era|erano|fu|è stato|è stata|sono stati|sono state|ha|hanno|c'è|ci sono|ammonta|ammontava)`,
    '(rispettivamente|per favore|secondo|seguenti|importo)',
    '(a|alla) pagina #number',
  ],
  answerLeads: [
    '[per favore] (rispondi|rispondere|risponda|rispondete|fornisci|arrotonda|arrotondare|scrivi|usa|utilizza|esprimi|supponi|ignora|ignorate|dimentica)',
    'la risposta deve',
  ],
  answerClauses: [
    '[per favore] (rispondi|rispondere|risponda) in',
    '(arrotondato|arrotondata|arrotonda) [il risultato|la risposta] (a|al|alla)',
    'espresso in',
    'espressa in',
  ],
  operations: [
    { op: 'none', form: "differenza (tra|fra) (un|una|un'|uno) A e (un|una|un'|uno) B" },
    {
      op: 'percentage change',
      form: `(${CHANGE}|<difference>) (percentuale|relativa|relativo|in percentuale) (${IN}|tra|fra) A`,
    },
    { op: 'percentage change', form: `(tasso|percentuale) di (${CHANGE}) (${IN}) A` },
    {
      op: 'percentage change',
      form: `di (quale percentuale|quanto per cento|che percentuale) (è|sono) (${MOVED}) A`,
    },
    { op: 'ratio', form: '(rapporto|quoziente) (tra|fra) A e B' },
    { op: 'ratio', form: `A (diviso|divisa|divisi|divise) (per|per il|per la) B` },
    {
      op: 'percentage',
      form: `(quale percentuale|che percentuale|quale quota|quale parte|che quota) (${OF}) B (rappresenta|rappresentano|rappresentava|rappresentavano|costituisce|costituiscono|proviene da|provengono da|deriva da|derivano da) A`,
    },
    {
      op: 'percentage',
      form: `A [espresso|espressa|espressi|espresse] (in percentuale|come percentuale|in %) (${OF}|sul|sui|sulle|sulla) B`,
    },
    {
      op: 'percentage',
      form: `(percentuale|quota|incidenza) (${OF}) A (su|sul|sui|sulle|sulla|sul totale) B`,
    },
    { op: 'difference', form: `differenza (di|nel|nei|nelle|nella) OF (tra|fra) A e B` },
    { op: 'difference', form: 'differenza (tra|fra) A e B' },
    { op: 'difference', form: `(<difference>) (${IN}|tra|fra) A` },
    { op: 'change', form: `(${CHANGE}|differenza) (${IN}|tra|fra) A` },
    { op: 'change', form: `di quanto (è|sono) (${MOVED}) A` },
    { op: 'sum', form: `(somma|totale) (${OF}) A, e (${OF}) B` },
    { op: 'sum', form: `somma (${OF}) A, e B` },
    { op: 'none', form: '(media ponderata|medio ponderato|medio ponderata)' },
    { op: 'average of year', form: `media #year (${OF}) A` },
    { op: 'average', form: `media [annua|annuale] (${OF}) A` },
    { op: 'sum', form: `somma (${OF}) A` },
  ],
  uncomputed: [
    '(perché|per quale motivo|come mai)',
    '^ come',
    '(rispettivamente|rispettivo|rispettivi|definito come|definita come|365)',
  ],
  ofYears: [
    '(in|di|per) (quale|che|quali) (anno|anni|esercizio|esercizi)',
    '(quale|qual|che) (anno|esercizio)',
    'quanti (anni|esercizi)',
  ],
  ofRows: [
    `(quale|che) !(anno*|esercizio*|è|era|sono|percentuale|quota|importo) A, (ha|aveva|ha avuto|ha registrato|è|era)`,
  ],
  compared: [
    '[in|di|per] (quale|che|quali|qual|quanti|quante) [anno|anni|esercizio|esercizi]',
    `(ha|hanno|aveva|ha avuto|ha registrato|è|sono|era|erano|è stato|è stata|sono stati|sono state|in|di|del|il|lo|la|i|gli|le|l'|che)`,
  ],
  whole: { whose: '', about: 'di A', at: 'nel A', from: 'dal A', until: 'al A', of: 'A di B', and: 'A e B' },
  pages: ['(a|alla|di|della) pagina A'],
};
