/** German. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'anstieg|zunahme|steigerung|wachstum|zuwachs|erhöhung';
const FALL = 'rückgang|abnahme|senkung|verringerung|minderung|reduzierung';
const RISES = `gestiegen|stieg|stiegen|steigen|steigt|gewachsen|wuchs|wachsen|erhöht*|erhöhen|zugenommen|
  verbessert*`;
const FALLS = `gesunken|sank|sanken|sinken|sinkt|gefallen|fiel|fielen|verringert*|abgenommen|
      zurückgegangen|
  verschlechtert*`;
const PERCENT = 'prozent|%|v.h';
const IST = 'ist|war|sind|waren|beträgt|betrug|betragen|betrugen|liegt|lag';

export const GERMAN_QUESTIONS: QuestionPack = {
  name: 'german',
  words: {
    what: 'was|welche|welcher|welches|welchen|welchem|wer|wen|wem|wessen',
    why: 'warum|weshalb|wieso|weswegen|woran lag|woran liegt',
    when: 'wann',
    how: 'wie|wo|woher|wohin|womit|wodurch',
    'how much': 'wie viel|wie viele|wieviel|wieviele|wie hoch|wie groß|wie lange|wie alt',
    'what amount': 'wie viel geld|wie viel kostet|wie viel kosten|wie viel kostete|wie hoch',
    be: 'ist|sind|war|waren|beträgt|betrug|betragen|betrugen|liegt|lag|lagen',
    do: 'tut|tun|gibt es|gab es',
    have: 'hat|haben|hatte|hatten',
    may: 'kann|können|konnte|wird|werden|wurde|wurden|soll|sollte|muss|darf',
    not: `nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne|weder|irrelevant|unbrauchbar|ungeeignet`,
    article: 'der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|im|am|zum|zur',
    in: 'in|im|an|am|auf|für|von|vom|bei|beim|aus|mit|während',
    of: 'von|vom|der|des',
    and: 'und|oder|sowie',
    to: 'zu|zum|zur',
    'at time': `in|im|für|von|zwischen|während|am|per|zum|bis|und|auf|seit|des|ab|über|von dem|in dem|
      gegenüber|
      im vergleich zu`,
    'over time': 'von|zwischen|zeitraum|über|während',
    between: 'zwischen',
    since: 'seit|ab',
    span: 'jahreszeitraum|jahresdurchschnitt',
    until: 'bis|bis zum|bis ende|-|–',
    year: `jahr|jahre|jahres|jahren|geschäftsjahr|geschäftsjahre|geschäftsjahres|geschäftsjahren|gj|
      kalenderjahr|ende|dem|den|der`,
    period: 'jahr|jahre|jahren|geschäftsjahr|geschäftsjahren|zeitraum|quartal|monat|datum',
    percent: PERCENT,
    rise: `${RISE}|${RISES}`,
    fall: `${FALL}|${FALLS}`,
    change: `veränderung|veränderungen|änderung|änderungen|entwicklung|${RISE}|${FALL}`,
    changes: `${RISES}|${FALLS}|veränder*|änder*|entwickel*|verglich*|unterscheid*|verursach*|höher|
      niedriger|
      wachstum`,
    most: `höchste|höchsten|höchster|höchstes|am höchsten|größte|größten|größter|größtes|am größten|
      meiste|
      meisten|am meisten|maximal|höher|größer`,
    least: `niedrigste|niedrigsten|niedrigster|am niedrigsten|geringste|geringsten|geringster|
      am geringsten|
      kleinste|kleinsten|am kleinsten|wenigsten|am wenigsten|niedriger|geringer|kleiner`,
    above: 'mehr als|höher als|größer als|über|oberhalb von',
    below: 'weniger als|niedriger als|geringer als|kleiner als|unter|unterhalb von',
    'ask for': 'nenne|nennen|liste|vergleiche|vergleichen|zeige|erkläre|erläutere|beschreibe|berechne',
    than: 'als',
    plus: 'plus|+|zuzüglich',
    minus: 'minus|abzüglich|-|–|−',
    times: 'mal|multipliziert mit|*|×',
    'divided by': 'geteilt durch|dividiert durch|durch|/|÷',
    mean: 'durchschnitt*|mittlere*|der durchschnitt der|durchschnitt der|durchschnitt von',
    if: 'falls|wenn|sofern|sollte|sollten|ist',
    say: 'sag*|gib|geben|erklär*|erläuter*|begründ*|nenn*|teil*|bitte|dann|schreib*|weis*',
    because: `weil|wegen|aufgrund|auf grund|infolge|zurückzuführen|bedingt durch|getrieben durch|getrieben von|verursacht durch|ursächlich|durch höhere|durch niedrigere|beruht auf|beruhte auf|resultiert aus|resultierte aus|resultierend aus|teilweise kompensiert|teilweise ausgeglichen|kompensiert durch|ausgeglichen durch|grund dafür|grund hierfür|infolgedessen`,
    'perhaps because': 'da|daher|deshalb|hauptsächlich|vor allem|in erster linie|im wesentlichen|dank',
    amount: `betrag|beträge|quote|quoten|satz|rate|raten|prozentsatz|durchschnitt|summe|wert|werte|kosten|
      preis|preise|aufwand|aufwendungen|ausgaben|umsatz|umsätze|umsatzerlöse|erlöse|ertrag|erträge|
      einnahmen|ergebnis|gewinn|gewinne|verlust|verluste|marge|margen|vermögen|vermögenswerte|
      verbindlichkeiten|schulden|eigenkapital|fremdkapital|steuern|dividende|dividenden|aktien|
      mitarbeiter|mitarbeitende|beschäftigte|vorräte|forderungen|abschreibungen|zinsen|investitionen|
      bilanzsumme|anzahl der|zahl der|ebit|ebitda`,
    own: 'sein|seine|seinen|seiner|seinem|ihr|ihre|ihren|ihrer|ihrem|dessen|deren',
    it: 'er|sie|es|das unternehmen|die firma|die gesellschaft|der konzern',
    this: 'dies|das|dieses',
    'this period': `in dem jahr|in diesem jahr|im selben jahr|im gleichen jahr|in demselben jahr|
      im selben zeitraum|
      in jenem jahr`,
    'and what of': `und|oder|aber|was ist mit|wie ist es mit|wie war es mit|wie ist es in|wie war es in|
      wie sieht es mit|und wie|und wie sieht es|wie steht es mit|dasselbe für|das gleiche für`,
    'at last': 'dann|stattdessen|auch|bitte|aus',
    'before thing': 'in|im|in der|in den|für|von|vom|bei|beim|mit',
    'no end': `von|vom|in|im|zwischen|am|zum|zur|für|der|die|das|den|dem|des|und|oder|als|beide|insgesamt|
      verglichen|ende|jahr|jahre|jahren|geschäftsjahr|jeweils|auf|an|bis|über|hat|sich|ist|war|
      gegenüber`,
    grade: `gesamter|gesamte|gesamten|jährlicher|jährliche|durchschnittlicher|durchschnittliche|
      konsolidierter|konsolidierte`,
    difference: 'unterschied|unterschiede|differenz|abstand',
    nameless:
      'betrag|beträge|wert|werte|höhe|unternehmen|gesellschaft|konzern|firma|anzahl|zahl|jahr|ausgewiesen|ausgewiesene|ausgewiesenen|verbucht|erfasst',
  },
  kinds: {
    'yes or no': ['<be>', '<have>', '<may>', 'gibt es', 'gab es', 'stieg', 'sank', 'fiel', 'wuchs'],
    reason: [
      '<why>',
      '(grund|gründe|gründen|ursache|ursachen)',
      'was (hat|führte|verursachte|erklärt|trieb|treibt)',
      'worauf (ist|war|sind|lässt)',
      'wodurch',
    ],
    time: [
      '<when>',
      '(in|seit|bis|ab|zu) (welchem|welcher|welchen) <period>',
      '(welches|welche|welcher) <period>',
    ],
    list: [
      '(welche|welches|was) (sind|waren)',
      'nenne',
      'nennen sie',
      'liste',
      'welche (arten|faktoren|bestandteile|risiken|produkte|segmente|länder|standorte)',
    ],
    number: [
      '<how much>',
      '(welcher|welchen|welche) (anteil|prozentsatz|betrag|summe|anzahl|zahl|quote)',
      '(betrag|quote|prozentsatz|anteil|durchschnitt|unterschied|differenz|veränderung|anstieg|rückgang|wachstum|summe|wert|anzahl|kosten|preis|aufwendungen|umsatz|umsatzerlöse|erlöse|gewinn|ergebnis|marge|bilanzsumme|verhältnis|eigenkapitalquote)',
    ],
    person: ['^ [von|mit|an] (wer|wen|wem|wessen)'],
  },
  verdicts: ['(ist|sind|war|waren) A (ein|eine) B'],
  causes: [
    '(warum|weshalb|wieso|weswegen) (ist|sind|war|waren|hat|haben|wurde|wurden) [sich] A',
    '(warum|weshalb|wieso|weswegen) A',
    '(grund|gründe|gründen|ursache|ursachen) (für|von|hinter) A',
    'was (trieb|treibt|verursachte|erklärt) A',
    'was hat A (verursacht|getrieben|ausgelöst)',
    'was führte zu A',
    'worauf (ist|war|sind|waren) A zurückzuführen',
  ],
  definitions: [
    '(definiert|berechnet|errechnet) als',
    '[sich] (definiert|berechnet|errechnet) [sich] (als|aus)',
  ],
  asking: [
    '(in|seit|ab) (welchem|welcher|welchen) <period>',
    '(was|welche|welcher|welches|welchen|welchem|wer|wann|wo|warum|weshalb|wie|viel|viele|hoch|groß)',
    '(ist|sind|war|waren|beträgt|betrug|betragen|betrugen|hat|haben|hatte|wird|wurde|wurden|gibt es)',
    '(jeweils|bitte|laut|gemäß|folgende|folgenden|betrag)',
    '[auf|von] seite #number',
  ],
  answerLeads: [
    '[bitte] (antworte|antworten sie|gib|geben sie|runde|runden sie|schreibe|schreiben sie|verwende|verwenden sie|nimm an|beantworte|beantworten sie|formatiere|ignoriere|ignorieren sie|vergiss|nutze|nutzen sie)',
    'die antwort soll',
  ],
  answerClauses: [
    '[bitte] (auf|in) #number (nachkommastellen|dezimalstellen|stellen)',
    '[bitte] gerundet auf',
    '[bitte] angabe in',
    '[bitte] antwort in',
    '[bitte] antworten sie',
    '[bitte] runden sie',
    '[bitte] runde auf',
  ],
  operations: [
    {
      op: 'none',
      form: '(unterschied|differenz) zwischen (ein|eine|einer|einem) A und (ein|eine|einer|einem) B',
    },
    {
      op: 'percentage change',
      form: '(prozentuale|prozentualen|prozentualer|prozentuales|relative|relativen) (<change>|<difference>) (von|vom|des|der|bei|beim|im|in|zwischen) A',
    },
    {
      op: 'percentage change',
      form: '(wachstumsrate|steigerungsrate|veränderungsrate) (von|vom|des|der|bei|beim) A',
    },
    {
      op: 'percentage change',
      form: 'um (wie viel|wieviel|wie viele) (prozent|%) (ist|sind|hat|haben|stieg|stiegen|sank|sanken|wuchs|wuchsen|fiel|fielen|änderte|veränderte|erhöhte|verringerte) [sich] A (gestiegen|gesunken|gewachsen|gefallen|geändert|verändert|erhöht|verringert|zurückgegangen)',
    },
    {
      op: 'percentage change',
      form: 'um (wie viel|wieviel|wie viele) (prozent|%) (stieg|stiegen|sank|sanken|wuchs|wuchsen|fiel|fielen|änderte|veränderte|erhöhte|verringerte) [sich] A',
    },
    { op: 'ratio', form: '(verhältnis|quotient|quotienten) (von|zwischen|aus|des|der) A (zu|zum|zur|und) B' },
    { op: 'ratio', form: `(wie hoch) (${IST}) A im verhältnis (zu|zum|zur) B` },
    { op: 'ratio', form: 'A (geteilt|dividiert) durch B' },
    {
      op: 'percentage',
      form: '(wie viel|wieviel|wie viele) (prozent|%) (von|vom|der|des) B (ist|sind|war|waren|entfällt auf|entfallen auf|entfiel auf|entfielen auf|machte|machten|macht|machen) A aus',
    },
    {
      op: 'percentage',
      form: '(wie viel|wieviel|wie viele) (prozent|%) (von|vom|der|des) B (ist|sind|war|waren|entfällt auf|entfallen auf|entfiel auf|entfielen auf) A',
    },
    {
      op: 'percentage',
      form: '(anteil|prozentsatz|prozentanteil) (von|vom|der|des|an) A (am|an der|an den|an|gemessen am) B',
    },
    {
      op: 'percentage',
      form: 'A [ausgedrückt] (in prozent|in %|als prozentsatz|als anteil|prozentual) (von|vom|der|des|am|an der|zum|zur) B',
    },
    {
      op: 'difference',
      form: '(unterschied|differenz) (im|in|beim|bei|in der|bei der|der|des|von) OF zwischen A und B',
    },
    { op: 'difference', form: '(unterschied|differenz) (zwischen|aus|von) A und B' },
    {
      op: 'difference',
      form: '(<difference>) (von|vom|des|der|bei|beim|im|in der|in|bei der|zwischen) A',
    },
    {
      op: 'change',
      form: '(<change>|unterschied|differenz) (von|vom|des|der|bei|beim|im|in der|in|bei der|zwischen) A',
    },
    {
      op: 'change',
      form: 'um (wie viel|wieviel) (ist|sind|hat|haben) [sich] A (gestiegen|gesunken|gewachsen|gefallen|geändert|verändert|erhöht|verringert|zurückgegangen)',
    },
    {
      op: 'change',
      form: 'um (wie viel|wieviel) (stieg|stiegen|sank|sanken|wuchs|wuchsen|fiel|fielen|änderte|veränderte|erhöhte|verringerte) [sich] A',
    },
    { op: 'sum', form: '(summe|gesamtsumme) (von|aus|der|des) A, und B' },
    {
      op: 'none',
      form: '(gewichtete|gewichteten|gewichteter) [durchschnittliche|durchschnittlichen|durchschnitt]',
    },
    { op: 'average of year', form: 'jahresdurchschnitt (von|der|des|vom) A' },
    { op: 'average of year', form: '(durchschnitt|mittelwert) #year (von|der|des|vom) A' },
    { op: 'average', form: '(durchschnitt|mittelwert|mittel) (von|der|des|vom) A' },
    {
      op: 'average',
      form: '(durchschnittliche|durchschnittlichen|durchschnittlicher|durchschnittliches|mittlere) A',
    },
    { op: 'sum', form: '(summe|gesamtsumme) (von|der|des|vom) A' },
  ],
  uncomputed: [
    '(warum|weshalb|wieso|weswegen)',
    '^ wie (hat|haben|ist|sind|entwickelt*)',
    '(jeweils|jeweilige|jeweiligen|definiert als|getrieben|365)',
    'durchschnittliche A verhältnis',
  ],
  ofYears: [
    '(in|zu) (welchem|welchen) (jahr|jahren|geschäftsjahr|geschäftsjahren)',
    '(welches|welche) (jahr|jahre|geschäftsjahr)',
    'in wie vielen (jahren|geschäftsjahren)',
    'wie viele (jahre|geschäftsjahre)',
  ],
  ofRows: [
    '(welches|welche|welcher) !(jahr*|geschäftsjahr*|ist|war|sind|waren|anteil|betrag) A, (hatte|hatten|hat|haben|war|ist|waren|erzielte|erzielten|verzeichnete|meldete)',
  ],
  compared: [
    '[in|zu] (welchem|welchen|welches|welche|welcher|wie viele|wie vielen) [jahr|jahren|jahre|geschäftsjahr|geschäftsjahren]',
    '(war|waren|ist|sind|hat|haben|hatte|hatten|erzielte|erzielten|verzeichnete|meldete|lag|lagen|in|im|der|die|das|den|dem|des|am)',
  ],
  whole: {
    whose: '',
    about: 'von A',
    at: 'in A',
    from: 'von A',
    until: 'bis A',
    of: 'A von B',
    and: 'A und B',
  },
  hasCapitalNouns: true,
  pages: ['[auf|von] seite A'],
};
