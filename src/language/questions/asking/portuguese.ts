/** Portuguese. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'aumento|crescimento|acréscimo|subida|alta';
const FALL = 'diminuição|redução|queda|decréscimo|descida';
const CHANGE = `variação|mudança|alteração|evolução|${RISE}|${FALL}`;
const OF = 'dos|das|do|da|de';
const IN = 'nos|nas|no|na|dos|das|do|da|de|em';
const MOVED =
  'aumentou|aumentaram|cresceu|cresceram|subiu|subiram|diminuiu|diminuíram|caiu|caíram|mudou|mudaram|variou|variaram|reduziu|desceu|desceram';

export const PORTUGUESE_QUESTIONS: QuestionPack = {
  name: 'portuguese',
  words: {
    what: 'que|o que|qual|quais|quem',
    why: 'por que|porque é que|porquê|por quê|por qual motivo|por que motivo',
    when: 'quando|em que data',
    how: 'como|onde|aonde',
    'how much': 'quanto|quanta|quantos|quantas|em quanto|de quanto',
    'what amount': 'quanto dinheiro|quanto custa|quanto custou|a quanto ascende',
    be: 'é|são|foi|foram|era|eram|está|estão|estava|ascendeu a',
    do: 'faz|fazem|fez|há|houve|havia',
    have: 'tem|têm|teve|tiveram|tinha|tinham',
    may: 'pode|podem|poderia|deve|devem|será|serão|vai|vão',
    not: 'não|nenhum|nenhuma|nunca|sem|nem|irrelevante|inaplicável|inadequado|inadequada',
    article: 'o|a|os|as|um|uma|uns|umas|do|da|dos|das|no|na|nos|nas|ao|à|este|esta',
    in: 'em|no|na|nos|nas|a|ao|para|por|com|durante|entre|desde',
    of: OF,
    and: 'e|ou|bem como',
    to: 'a|ao|para',
    'at time': `em|no|na|de|do|da|entre|durante|para|desde|a|ao|e|até|por|em relação a|face a|no final de|no fim de`,
    'over time': 'de|entre|período|desde|durante',
    between: 'entre',
    since: 'desde',
    span: 'no período',
    until: 'a|até|ao|-|–',
    year: `o ano|os anos|ano|anos|exercício|exercícios|o exercício|fiscal|fiscais|de|do|encerrado em|
      findo em|terminado em|
      fim de|final de|o|os`,
    period: 'ano|anos|exercício|exercícios|período|trimestre|mês|data',
    percent: 'por cento|%|porcentagem|percentagem|percentual',
    rise: `${RISE}|aumentou|aumentaram|cresceu|cresceram|subiu|subiram`,
    fall: `${FALL}|diminuiu|diminuíram|caiu|caíram|reduziu`,
    change: CHANGE,
    changes: `${MOVED}|aument*|cresc*|diminu*|mud*|vari*|evolu*|compar*|difer*|explic*|caus*|impulsion*|melhor*|pior*`,
    most: `mais alto|mais alta|mais altos|mais altas|mais elevado|mais elevada|maior|maiores|máximo|máxima|mais`,
    least: 'mais baixo|mais baixa|mais baixos|mais baixas|menor|menores|mínimo|mínima|menos',
    above:
      'mais de|maior que|maiores que|maior do que|superior a|superiores a|acima de|excedeu|excederam|superou|superaram',
    below: 'menos de|menor que|menores que|menor do que|inferior a|inferiores a|abaixo de',
    'ask for': 'compare|liste|mostre|explique|descreva|calcule|cite|enumere',
    than: 'que',
    plus: 'mais|+',
    minus: 'menos|-|–|−',
    times: 'vezes|multiplicado por|multiplicada por|*|×',
    'divided by': 'dividido por|dividida por|/|÷',
    mean: 'média de|média do|média da|média dos|média das|média',
    if: 'se|caso|quando',
    say: 'diga|digam|indi*|expli*|refir*|mencion*|então|por favor|escrev*|respond*|informe|declare',
    because: `porque|devido a|devido ao|devido à|devido aos|devido às|por causa de|por causa do|por causa da|graças a|graças ao|graças à|em razão de|em razão do|em razão da|em virtude de|em virtude do|em virtude da|em consequência de|em decorrência de|em decorrência do|em decorrência da|como resultado de|como resultado|resultante de|decorrente de|decorrente do|decorrente da|atribuível a|atribuível ao|atribuível à|deve-se a|deveu-se a|deve-se ao|deveu-se ao|deve-se à|deveu-se à|explicado por|explicada por|impulsionado por|impulsionada por|impulsionado pelo|impulsionada pela|impulsionadas por|parcialmente compensado|parcialmente compensada|compensado por|compensada por|uma vez que|já que|visto que|causado por|causada por|motivado por|motivada por`,
    'perhaps because': 'principalmente|sobretudo',
    amount: `montante|montantes|valor|valores|rácio|índice|taxa|taxas|percentual|percentagem|porcentagem|
      média|total|
      totais|custo|custos|preço|preços|despesa|despesas|gasto|gastos|receita|receitas|vendas|faturamento|
      resultado|
      resultados|lucro|lucros|prejuízo|margem|margens|ativo|ativos|passivo|passivos|dívida|dívidas|
      patrimônio|
      património|caixa|imposto|impostos|dividendo|dividendos|ações|funcionários|empregados|estoques|
      inventários|
      contas a receber|depreciação|amortização|juros|investimentos|número de|ebitda`,
    own: 'seu|sua|seus|suas',
    it: 'ele|ela|eles|elas|a empresa|a companhia|o grupo|a sociedade',
    this: 'isso|isto|aquilo',
    'this period': `nesse ano|esse ano|o mesmo ano|no mesmo ano|naquele ano|nesse período|o mesmo período|no mesmo período`,
    'and what of': 'e|ou|mas|que tal|e quanto a|o mesmo para',
    'at last': 'então|também|por favor|em vez disso',
    'before thing': 'em|para|de|do|da|no|na|com|a',
    'no end': `de|do|da|dos|das|em|no|na|nos|nas|entre|a|ao|para|o|os|as|e|ou|por|desde|até|ano|anos|
      exercício|
      respectivamente|foi|é|são|foram`,
    grade:
      'total|totais|líquido|líquida|líquidos|líquidas|bruto|bruta|anual|médio|média|consolidado|consolidada',
    difference: 'diferença|diferenças',
    nameless:
      'montante|montantes|valor|valores|quantia|empresa|sociedade|grupo|companhia|número|ano|registado|registrado|registrada|reconhecido|reconhecida',
  },
  kinds: {
    'yes or no': [
      '(é|são|foi|foram|tem|têm|teve|há|houve|está|estão|pode|deve)',
      'a (empresa|companhia|sociedade) (é|tem|teve|pagou|aumentou|reduziu)',
    ],
    reason: [
      '<why>',
      '(razão|razões|motivo|motivos|causa|causas)',
      'o que (impulsionou|causou|provocou|explica|explicou|motivou|levou)',
    ],
    time: [
      '<when>',
      '(em|desde|até|de) (que|qual) <period>',
      '(qual|que) (ano|anos|data|trimestre|exercício|mês)',
    ],
    list: ['quais (são|foram|eram)', 'que (tipos|fatores|componentes)', 'enumere', 'liste', 'cite', 'lista'],
    number: [
      '<how much>',
      '(qual|que) (percentagem|porcentagem|percentual|proporção|parte|montante|número)',
      '(montante|rácio|taxa|percentagem|porcentagem|percentual|média|diferença|variação|aumento|redução|diminuição|crescimento|total|valor|número|custo|preço|despesas|receita|receitas|vendas|faturamento|resultado|lucro|margem)',
    ],
    person: ['^ [a|por|com|de] quem'],
  },
  verdicts: ['(é|são|foi|era) A (um|uma) B', 'A é (um|uma) B'],
  causes: [
    '(por que|porque é que|por que motivo|por qual motivo) A',
    `(razão|razões|motivo|motivos|causa|causas) (${OF}|para) A`,
    'o que (impulsionou|causou|provocou|explica|explicou|motivou|levou a) A',
  ],
  definitions: ['(definido|definida|calculado|calculada) como', '(definir|defina|calcular|calcule) A como'],
  asking: [
    '(em|desde) (que|qual) (ano|exercício)',
    '(o que|qual|quais|quem|quando|onde|por que|como|quanto|quanta|quantos|quantas)',
    '(é|são|foi|foram|era|eram|há|houve|tem|têm|teve)',
    '(respectivamente|por favor|segundo|seguintes|montante)',
    '(na|da) página #number',
  ],
  answerLeads: [
    '[por favor] (responda|responde|dê|arredonde|escreva|use|utilize|expresse|suponha|ignore|ignora|esqueça)',
    'a resposta deve',
  ],
  answerClauses: [
    '[por favor] (responda|responde) em',
    '(arredondado|arredondada|arredonde) [o resultado|a resposta] (a|para)',
    'expresso em',
    'expressa em',
  ],
  operations: [
    { op: 'none', form: 'diferença entre (um|uma) A e (um|uma) B' },
    {
      op: 'percentage change',
      form: `(${CHANGE}|<difference>) (percentual|relativo|relativa|em percentagem|em porcentagem) (${IN}|entre) A`,
    },
    { op: 'percentage change', form: `(percentagem|porcentagem|percentual|taxa) de (${CHANGE}) (${IN}) A` },
    { op: 'percentage change', form: `em (que percentagem|que porcentagem|quantos por cento) (${MOVED}) A` },
    { op: 'percentage change', form: `quantos por cento A (${MOVED})` },
    { op: 'ratio', form: '(rácio|razão|relação|quociente) entre A e B' },
    { op: 'ratio', form: 'A (dividido|dividida|divididos|divididas) (por|pelo|pela|pelos|pelas) B' },
    {
      op: 'percentage',
      form: `(que percentagem|que porcentagem|que percentual|qual percentagem|qual porcentagem|qual percentual|que parte|que proporção) (${OF}) B (representa|representam|representou|representaram|corresponde a|correspondem a|correspondeu a|provém de|provêm de|veio de|foi|foram|é|são) A`,
    },
    {
      op: 'percentage',
      form: `A [expresso|expressa|expressos|expressas] (como percentagem|como porcentagem|como percentual|em percentagem|em porcentagem|em %) (${OF}) B`,
    },
    {
      op: 'percentage',
      form: `(percentagem|porcentagem|percentual|proporção) (${OF}) A (sobre|em relação a|em relação ao|em relação à|no|na|nos|nas) B`,
    },
    { op: 'difference', form: `diferença (de|em|no|na|nos|nas) OF entre A e B` },
    { op: 'difference', form: 'diferença entre A e B' },
    { op: 'difference', form: `(<difference>) (${IN}|entre) A` },
    { op: 'change', form: `(${CHANGE}|diferença) (${IN}|entre) A` },
    { op: 'change', form: `(em quanto|quanto) (${MOVED}) A` },
    { op: 'sum', form: `(soma|total) (${OF}) A, e (${OF}) B` },
    { op: 'sum', form: `soma (${OF}) A, e B` },
    { op: 'none', form: '(média ponderada|médio ponderado)' },
    { op: 'average of year', form: `média #year (${OF}) A` },
    { op: 'average', form: `média [anual] (${OF}) A` },
    { op: 'sum', form: `(soma|acumulado) (${OF}) A` },
  ],
  uncomputed: [
    '(por que|porque é que|por que motivo)',
    '^ como',
    '(respectivamente|respetivamente|respectivo|respectivos|definido como|definida como|365)',
  ],
  ofYears: [
    '(em|de|durante) (que|qual) (ano|anos|exercício|exercícios)',
    '(que|qual) (ano|exercício)',
    'em quantos (anos|exercícios)',
    'quantos (anos|exercícios)',
  ],
  ofRows: [
    '(que|qual) !(ano*|exercício*|é|foi|são|foram|percentagem|montante|valor) A, (teve|tem|registou|registrou|apresentou|obteve|foi|é)',
  ],
  compared: [
    '[em|de|durante] (que|qual|quantos|quantas) [ano|anos|exercício|exercícios]',
    '(teve|tem|registou|registrou|apresentou|obteve|foi|foram|é|são|era|em|de|o|a|os|as|do|da|dos|das)',
  ],
  whole: { whose: '', about: 'de A', at: 'em A', from: 'de A', until: 'para A', of: 'A de B', and: 'A e B' },
  pages: ['(na|da) página A'],
};
