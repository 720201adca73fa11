/** French. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'augmentation|hausse|croissance|progression|accroissement';
const FALL = 'baisse|diminution|réduction|recul|chute';
const CHANGE = `variation|variations|évolution|changement|${RISE}|${FALL}`;
const OF = `de la|de l'|de|du|des|d'`;
const IN = `de la|de l'|de|du|des|d'|dans la|dans le|dans les|en`;
const RISEN = 'augmenté|progressé|crû|baissé|diminué|reculé|chuté|varié|changé|évolué';

export const FRENCH_QUESTIONS: QuestionPack = {
  name: 'french',
  words: {
    what: `quel|quelle|quels|quelles|qui|que|qu'est-ce que|qu'est-ce qui|quoi|lequel|laquelle|lesquels|lesquelles`,
    why: 'pourquoi|pour quelle raison|pour quelles raisons',
    when: `quand|à quelle date`,
    how: 'comment|où|dans quelle mesure',
    'how much': 'combien|à combien|de combien|à quel montant|quel âge',
    'what amount': "à combien s'élève|à combien s'élevait|quel montant|combien coûte|combien d'argent",
    be: `est|sont|était|étaient|fut|furent|a été|ont été|s'élève à|s'élevait à|s'élève|s'élevait`,
    do: 'fait|font|y a-t-il',
    have: 'a|ont|avait|avaient|a-t-elle|a-t-il|ont-ils|ont-elles',
    may: 'peut|peuvent|pouvait|doit|doivent|sera|seront|va|vont',
    not: `pas|non|aucun|aucune|jamais|sans|ni|n'est|ne|n'a|inapplicable|inadapté|inutile|dénué`,
    article: `le|la|les|l'|un|une|des|du|au|aux|ce|cette|ces`,
    in: `en|dans|à|au|aux|sur|pour|par|chez|avec|durant|pendant`,
    of: OF,
    and: 'et|ou|ainsi que',
    to: 'à|au|aux',
    'at time': `en|dans|de|d'|du|pour|entre|pendant|durant|au|à|depuis|et|sur|au cours de|par rapport à|
      fin|au titre de|
      lors de|au cours`,
    'over time': 'de|entre|période|sur|depuis|pendant|durant',
    between: 'entre',
    since: 'depuis',
    span: 'sur la période',
    until: "à|au|jusque|jusqu'à|jusqu'en|-|–",
    year: `de l'|de la|des|de|l'année|année|années|exercice|exercices|l'exercice|an|ans|fiscale|fiscal|
      fiscales|clos le|
      clos au|clos|clôturé le|clôturé|terminé le|fin|la fin|la fin de|le`,
    period: 'année|années|exercice|exercices|période|périodes|trimestre|mois|date',
    percent: 'pour cent|%|pourcentage|pourcent',
    rise: `${RISE}|augmenté|augmente|progressé|crû`,
    fall: `${FALL}|baissé|diminué|reculé|chuté`,
    change: CHANGE,
    changes: `${RISEN}|augment*|progress*|diminu*|baiss*|chang*|vari*|évolu*|compar*|diffèr*|expliqu*|
      caus*|supérieur*|
      inférieur*|croissance`,
    most: `le plus élevé|la plus élevée|les plus élevés|les plus élevées|le plus haut|la plus haute|
      le plus grand|
      la plus grande|le plus important|la plus importante|le plus|la plus|les plus|maximum|maximal|
      maximale`,
    least: `le plus bas|la plus basse|les plus bas|les plus basses|le plus faible|la plus faible|
      les plus faibles|
      le plus petit|la plus petite|le moins élevé|la moins élevée|le moins|la moins|les moins|minimum|
      minimal`,
    above:
      'plus de|plus que|supérieur à|supérieure à|supérieurs à|supérieures à|au-dessus de|dépassé|dépasse|dépassait',
    below:
      'moins de|moins que|inférieur à|inférieure à|inférieurs à|inférieures à|au-dessous de|en dessous de',
    'ask for': 'citez|listez|comparez|montrez|donnez|expliquez|décrivez|calculez|énumérez',
    than: "que|qu'",
    plus: 'plus|+|augmenté de|augmentée de',
    minus: 'moins|diminué de|diminuée de|-|–|−',
    times: 'fois|multiplié par|multipliée par|*|×',
    'divided by': 'divisé par|divisée par|/|÷',
    mean: "moyenne des|moyenne de|moyenne du|moyenne d'|moyenne",
    if: `si|s'il|s'ils|s'elle|au cas où|dans le cas où|lorsque`,
    say: `dites|dis|indiqu*|précis*|expliqu*|mentionn*|signal*|alors|veuillez|merci de|écri*|répond*`,
    because: `parce que|parce qu'|en raison de|en raison du|en raison des|en raison d'|à cause de|à cause du|à cause des|grâce à|grâce au|grâce aux|du fait de|du fait des|du fait d'|dû à|due à|dus à|dues à|dû au|due au|dus aux|dues aux|s'explique par|s'expliquent par|expliqué par|expliquée par|résulte de|résultant de|résulte d'|provient de|provient du|lié à|liée à|liés à|liées à|attribuable à|attribuable au|imputable à|imputable au|sous l'effet de|sous l'effet du|sous l'effet des|partiellement compensé|partiellement compensée|en partie compensé|en partie compensée|compensé par|compensée par|porté par|portée par|tiré par|tirée par|suite à|à la suite de`,
    'perhaps because': 'car|principalement|essentiellement|puisque',
    amount: `montant|montants|ratio|ratios|taux|pourcentage|moyenne|total|totaux|valeur|valeurs|coût|
      coûts|prix|charge|
      charges|dépense|dépenses|chiffre d'affaires|ventes|revenu|revenus|produits|résultat|résultats|
      bénéfice|bénéfices|
      perte|pertes|marge|marges|actif|actifs|passif|passifs|dette|dettes|capitaux propres|trésorerie|
      impôt|impôts|
      dividende|dividendes|actions|effectif|effectifs|salariés|stocks|créances|amortissements|intérêts|
      investissements|nombre de|ebitda|recettes`,
    own: 'son|sa|ses|leur|leurs',
    it: `il|elle|ils|elles|l'entreprise|la société|le groupe`,
    this: 'cela|ça|ceci|ce chiffre|ce montant',
    'this period': `cette année-là|la même année|cette année|cette période|la même période|ce trimestre|le même trimestre`,
    'and what of': `et|ou|mais|qu'en est-il de|qu'en est-il du|qu'en est-il des|
      qu'en est-il en|
      qu'en est-il|même question pour|et celui de|et celle de`,
    'at last': `alors|plutôt|aussi|également|encore|s'il vous plaît|svp`,
    'before thing': `en|pour|de|du|des|de la|de l'|d'|chez|dans|au|à`,
    'no end': `de|du|des|d'|en|entre|à|au|aux|pour|le|la|les|l'|et|ou|par|sur|dans|ensemble|fin|année|
      exercice|
      respectivement|a|ont|est|sont`,
    grade:
      'total|totale|totaux|totales|net|nette|brut|brute|annuel|annuelle|moyen|moyenne|consolidé|consolidée',
    difference: 'différence|différences|écart|écarts',
    nameless:
      'montant|montants|valeur|valeurs|entreprise|société|groupe|nombre|année|comptabilisé|comptabilisée|comptabilisés|enregistré|enregistrée',
  },
  kinds: {
    'yes or no': [
      'est-ce que',
      "est-ce qu'",
      '(est|sont|a|ont|était|avait) (elle|il|ils|elles|t-elle|t-il|t elle|t il)',
      'y a t il',
      "(l'entreprise|la société|le groupe) A, (t|est|sont) (elle|il)",
      'A, (t|est|sont) (elle|il|elles|ils)',
    ],
    reason: [
      '<why>',
      '(raison|raisons|cause|causes)',
      `qu'est-ce qui (explique|a causé|a provoqué|a entraîné|a fait)`,
      `(comment|qu'est-ce qui) (s'explique|expliquer|explique)`,
      'à quoi (est|sont) (dû|due|dus|dues)',
    ],
    time: [
      '<when>',
      "(quelle|quelles|quel|quels) [est|était] [la|l'|les] [dernière|première] (année|années|date|exercice|exercices|trimestre|période|mois)",
      '(en|depuis|dans|de) (quelle|quel) (année|exercice|mois|trimestre)',
    ],
    list: [
      '(quels|quelles) (sont|étaient)',
      'quels types',
      'quelles sortes',
      'énumérez',
      'citez',
      'listez',
      'liste',
    ],
    number: [
      '<how much>',
      '(quel|quelle) (pourcentage|part|proportion|montant|nombre|somme)',
      `(montant|ratio|taux|pourcentage|moyenne|différence|écart|variation|augmentation|hausse|baisse|diminution|croissance|total|valeur|nombre|coût|prix|charges|chiffre d'affaires|ventes|revenus|revenu|résultat|bénéfice|marge)`,
    ],
    person: ['^ [à|par|avec|de] qui'],
  },
  verdicts: [
    '(est elle|est il|sont elles|sont ils) (un|une) B',
    'A est (elle|il) (un|une) B',
    'est-ce que A est (un|une) B',
  ],
  causes: [
    '(pourquoi|pour quelle raison|pour quelles raisons) A',
    `(raison|raisons|cause|causes) (${OF}) A`,
    `qu'est-ce qui (explique|a causé|a provoqué|a entraîné) A`,
    `comment s'explique A`,
    'à quoi (est|sont) (dû|due|dus|dues) A',
  ],
  definitions: [
    '(défini|définie|calculé|calculée|définis|définies) comme [étant]',
    '(définir|définissez|calculer|calculez) A comme',
  ],
  asking: [
    '(en|dans|depuis) (quelle|quel) (année|exercice)',
    `(qu'est-ce que|qu'est-ce qui|est-ce que|quel|quelle|quels|quelles|qui|quand|où|pourquoi|comment|combien)`,
    `(est|sont|était|étaient|a été|ont été|s'élève|s'élevait|y a t il|a t elle|a t il)`,
    `(respectivement|s'il vous plaît|selon|suivants|suivantes|montant)`,
    '(à la|en|sur la) page #number',
  ],
  answerLeads: [
    '[veuillez|merci de] (répondez|répondre|réponds|donnez|donner|arrondissez|arrondir|écrivez|utilisez|exprimez|exprimer|supposez|ignorez|ignorer|oubliez)',
    'la réponse doit',
  ],
  answerClauses: [
    '[veuillez] (répondez|répondre) (en|par)',
    '(arrondi|arrondie|arrondissez|arrondir) [le résultat|la réponse] à',
    'exprimé en',
    'exprimée en',
  ],
  operations: [
    { op: 'none', form: '(différence|écart) entre (un|une) A et (un|une) B' },
    {
      op: 'percentage change',
      form: `(${CHANGE}|<difference>) (en pourcentage|en %|relative|relatif) (${IN}|entre) A`,
    },
    { op: 'percentage change', form: `(pourcentage|taux) (de|d') (${CHANGE}) (${IN}) A` },
    {
      op: 'percentage change',
      form: `de (combien de pour cent|combien de pourcent|combien de %|quel pourcentage) A (a|ont) [t] [il|elle|ils|elles] (${RISEN})`,
    },
    {
      op: 'percentage change',
      form: `de (quel pourcentage|combien de pour cent|combien de %) (a|ont) (${RISEN}) A`,
    },
    { op: 'ratio', form: `(ratio|rapport|quotient) entre A et B` },
    { op: 'ratio', form: `(ratio|rapport|quotient) (${OF}) A (sur|à|au|aux) B` },
    { op: 'ratio', form: 'A (divisé|divisée|divisés|divisées) par B' },
    {
      op: 'percentage',
      form: `(quel pourcentage|quelle part|quelle proportion) (${OF}) B (représente|représentent|représentait|représentaient|constitue|constituent) A`,
    },
    {
      op: 'percentage',
      form: `(quel pourcentage|quelle part|quelle proportion) (${OF}) B (provient|proviennent|provenait|vient) (${OF}) A`,
    },
    {
      op: 'percentage',
      form: `A [exprimé|exprimée|exprimés|exprimées] (en pourcentage|en %|en proportion) (${OF}) B`,
    },
    {
      op: 'percentage',
      form: `(pourcentage|part|proportion) (${OF}) A (dans|par rapport à|par rapport au|par rapport aux|sur) B`,
    },
    { op: 'difference', form: `(différence|écart) (de|d'|en) OF entre A et B` },
    { op: 'difference', form: '(différence|écart) entre A et B' },
    { op: 'difference', form: `(<difference>) (${IN}|entre) A` },
    { op: 'change', form: `(${CHANGE}|différence|écart) (${IN}|entre) A` },
    { op: 'change', form: `de combien A (a|ont) [t] [il|elle|ils|elles] (${RISEN})` },
    { op: 'sum', form: `(somme|total) (${OF}) A, et (${OF}) B` },
    { op: 'none', form: 'moyenne pondérée' },
    { op: 'none', form: 'moyen pondéré' },
    { op: 'average of year', form: `moyenne #year (${OF}) A` },
    { op: 'average', form: `(moyenne) [annuelle] (${OF}) A` },
    { op: 'average', form: `(quel|quelle) (est|était|fut|a été) A, (moyen|moyenne) B` },
    { op: 'sum', form: `(somme|cumul) (${OF}) A` },
  ],
  uncomputed: [
    '(pourquoi|pour quelle raison|pour quelles raisons)',
    '^ comment',
    '(respectivement|respectif|respectifs|défini comme|définie comme|365|moteurs)',
  ],
  ofYears: [
    '(en|dans|de|pendant) (quelle|quel) (année|exercice)',
    '(quelle|quelles|quel) (année|années|exercice)',
    `combien (d'années|d'exercices)`,
  ],
  ofRows: [
    '(quel|quelle) !(année*|exercice*|est|était|sont|part|pourcentage|montant) A, (a|avait|est|était|a eu|affichait|a enregistré|a réalisé)',
  ],
  compared: [
    '(a|est|était|ont|sont|étaient|fut) [t] (il|elle|ils|elles) [été]',
    "[en|dans|de|pendant] (quelle|quel|quelles|quels|combien de|combien d') [année|années|exercice|exercices]",
    `(a|ont|avait|avaient|est|sont|était|étaient|a été|ont été|a eu|affichait|a enregistré|a réalisé|en|dans|de|le|la|les|l'|du|des|que)`,
  ],
  whole: { whose: '', about: 'de A', at: 'en A', from: 'de A', until: 'à A', of: 'A de B', and: 'A et B' },
  pages: ['(à la|en|de la|sur la) page A'],
};
