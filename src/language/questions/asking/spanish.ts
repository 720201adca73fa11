/** Spanish. */
import type { QuestionPack } from './question-pack.ts';

const RISE = 'aumento|incremento|crecimiento|alza|subida';
const FALL = 'disminución|descenso|reducción|caída|bajada|baja';
const CHANGE = `variación|cambio|evolución|${RISE}|${FALL}`;
const OF = 'de la|de los|de las|del|de';
const IN = 'en el|en la|en los|en las|de la|de los|de las|del|de|en';
const MOVED = `aumentó|aumentaron|creció|crecieron|subió|subieron|disminuyó|disminuyeron|bajó|bajaron|
      cayó|cayeron|
  cambió|cambiaron|varió|variaron|se redujo|se redujeron|se incrementó|se incrementaron`;

export const SPANISH_QUESTIONS: QuestionPack = {
  name: 'spanish',
  words: {
    what: 'qué|cuál|cuáles|quién|quiénes|cual|cuales',
    why: 'por qué|a qué se debe|a qué se debió|a qué se deben|a qué se debieron',
    when: 'cuándo|en qué fecha',
    how: 'cómo|dónde|adónde',
    'how much': 'cuánto|cuánta|cuántos|cuántas|a cuánto|en cuánto',
    'what amount': 'cuánto dinero|a cuánto asciende|a cuánto ascendió|cuánto cuesta|cuánto costó',
    be: 'es|son|fue|fueron|era|eran|está|están|estaba|ascendió a|asciende a|ascendieron a',
    do: 'hace|hacen|hizo|hay|hubo|había',
    have: 'ha|han|había|habían|tiene|tienen|tuvo|tuvieron|tenía|tenían',
    may: 'puede|pueden|podría|debe|deben|será|serán|va|van',
    not: 'no|ningún|ninguna|ninguno|nunca|sin|ni|tampoco|irrelevante|inaplicable|inadecuado|inadecuada',
    article: 'el|la|los|las|un|una|unos|unas|del|al|este|esta|estos|estas',
    in: 'en|a|al|sobre|para|por|con|durante|entre|desde',
    of: OF,
    and: 'y|e|o|u|así como',
    to: 'a|al',
    'at time': `en|de|del|entre|durante|para|desde|al|a|y|e|hasta|por|respecto a|con respecto a|frente a|
      a finales de|
      a fines de|al cierre de`,
    'over time': 'de|entre|período|periodo|desde|durante|del',
    between: 'entre',
    since: 'desde',
    span: 'durante el período|durante el periodo',
    until: 'a|al|hasta|-|–',
    year: `el año|los años|año|años|ejercicio|ejercicios|el ejercicio|fiscal|fiscales|de|del|terminado el|
      terminado|
      finalizado el|cerrado el|fin de|final de|finales de|cierre de|el`,
    period: 'año|años|ejercicio|ejercicios|período|periodo|trimestre|mes|fecha',
    percent: 'por ciento|%|porcentaje|por cien',
    rise: `${RISE}|aumentó|aumentaron|creció|crecieron|subió|subieron`,
    fall: `${FALL}|disminuyó|disminuyeron|bajó|bajaron|cayó|cayeron`,
    change: CHANGE,
    changes: `${MOVED}|aument*|crec*|disminu*|cambi*|vari*|evolucion*|compar*|difier*|explic*|caus*|
      impuls*|mejor*|
      empeor*`,
    most: `más alto|más alta|más altos|más altas|más elevado|más elevada|más grande|mayor|mayores|máximo|
      máxima|
      el mayor|la mayor|más`,
    least: `más bajo|más baja|más bajos|más bajas|más pequeño|más pequeña|menor|menores|mínimo|mínima|
      el menor|la menor|
      menos`,
    above: `más de|mayor que|mayores que|mayor a|superior a|superiores a|por encima de|superó los|
      superaron los|superó|
      superaron|supera|excedió|excedieron`,
    below: 'menos de|menor que|menores que|menor a|inferior a|inferiores a|por debajo de',
    'ask for': 'compara|compare|enumere|muestre|explique|describa|calcule|liste|mencione',
    than: 'que',
    plus: 'más|+',
    minus: 'menos|-|–|−',
    times: 'multiplicado por|multiplicada por|*|×',
    'divided by': 'dividido por|dividida por|dividido entre|dividida entre|/|÷',
    mean: 'promedio de|promedio del|media de|media del|promedio',
    if: 'si|en caso de que|cuando|en el caso de que',
    say: 'diga|digan|dilo|dígalo|di|indi*|indíque*|expli*|explíque*|señal*|menci*|entonces|por favor|escrib*|responda|declare',
    because: `porque|debido a|debido al|a causa de|a causa del|por causa de|gracias a|gracias al|como consecuencia de|como resultado de|como consecuencia|como resultado|a raíz de|en virtud de|atribuible a|atribuibles a|se debe a|se debió a|se deben a|se debieron a|se explica por|se explican por|explicado por|explicada por|motivado por|motivada por|impulsado por|impulsada por|impulsados por|impulsadas por|derivado de|derivada de|parcialmente compensado|parcialmente compensada|compensado por|compensada por|compensado parcialmente|ya que|puesto que|dado que|por efecto de|provocado por|provocada por|causado por|causada por|reflejo de`,
    'perhaps because': 'principalmente|fundamentalmente|sobre todo',
    amount: `importe|importes|monto|montos|ratio|ratios|tasa|tasas|porcentaje|promedio|media|total|
      totales|valor|valores|
      costo|costos|coste|costes|precio|precios|gasto|gastos|ingreso|ingresos|ventas|resultado|resultados|
      beneficio|
      beneficios|utilidad|utilidades|ganancia|ganancias|pérdida|pérdidas|margen|márgenes|activo|activos|
      pasivo|pasivos|
      deuda|deudas|patrimonio|capital|efectivo|impuesto|impuestos|dividendo|dividendos|acciones|empleados|
      plantilla|
      inventario|inventarios|existencias|cuentas por cobrar|depreciación|amortización|intereses|
      inversiones|número de|
      ebitda`,
    own: 'su|sus',
    it: 'él|ella|ellos|ellas|la empresa|la compañía|el grupo|la sociedad',
    this: 'esto|eso|ello|esta cifra|esa cifra',
    'this period':
      'ese año|el mismo año|ese mismo año|en ese año|ese período|ese periodo|el mismo período|ese trimestre',
    'and what of': `y|e|o|pero|qué hay de|qué tal|qué pasa con|y qué hay de|y el de|
      y la de|
      lo mismo para`,
    'at last': 'entonces|también|en cambio|por favor|además',
    'before thing': 'en|para|de|del|de la|con|a|en el|en la|para el|para la',
    'no end': `de|del|en|entre|a|al|para|el|la|los|las|y|e|o|por|con|desde|hasta|año|años|ejercicio|
      respectivamente|
      ha|han|fue|es|son|fueron`,
    grade:
      'total|totales|neto|neta|netos|netas|bruto|bruta|anual|medio|media|promedio|consolidado|consolidada',
    difference: 'diferencia|diferencias|brecha',
    nameless:
      'importe|importes|monto|montos|valor|valores|cantidad|empresa|sociedad|grupo|compañía|número|año|registrado|registrada|registrados|reconocido|reconocida',
  },
  kinds: {
    'yes or no': [
      '¿ (es|son|fue|fueron|era|ha|han|tiene|tienen|tuvo|tuvieron|hay|hubo|está|están|puede|debe|aumentó|disminuyó|creció|bajó|pagó|mejoró)',
      '(es|son|fue|fueron|ha|han|tiene|tienen|tuvo|tuvieron|hay|hubo|está|están|puede|pueden|debe)',
      '(aumentó|disminuyó|creció|bajó|pagó|mejoró)',
    ],
    reason: [
      '<why>',
      '(razón|razones|motivo|motivos|causa|causas)',
      'qué (impulsó|causó|provocó|explica|explicó|motivó|originó)',
    ],
    time: [
      '<when>',
      '(en|desde|hasta|de) qué <period>',
      '(qué|cuál) (año|años|ejercicio|fecha|trimestre|mes)',
      'cuál (es|fue) (el|la) (año|fecha)',
    ],
    list: [
      'cuáles (son|fueron|eran)',
      'qué (tipos|clases|factores|componentes)',
      'enumere',
      'liste',
      'mencione',
      'lista',
    ],
    number: [
      '<how much>',
      '(qué|cuál) (porcentaje|proporción|parte|cantidad|número|importe)',
      '(importe|monto|ratio|tasa|porcentaje|promedio|media|diferencia|variación|cambio|aumento|incremento|disminución|crecimiento|total|valor|número|costo|coste|precio|gastos|ingresos|ventas|resultado|beneficio|utilidad|ganancia|margen)',
    ],
    person: ['^ [¿] [a|por|con|de] (quién|quiénes)'],
  },
  verdicts: ['(es|son|fue|era) A (un|una) B'],
  causes: [
    'por qué A',
    'a qué se (debe|debió|deben|debieron) A',
    `(razón|razones|motivo|motivos|causa|causas) (${OF}) A`,
    'qué (impulsó|causó|provocó|explica|explicó|motivó|originó) A',
  ],
  definitions: [
    '(definido|definida|calculado|calculada|define|calcula) como',
    '(definir|defina|calcular|calcule) A como',
  ],
  asking: [
    '(en|desde) qué (año|años|ejercicio)',
    '(qué|cuál|cuáles|quién|quiénes|cuándo|dónde|por qué|cómo|cuánto|cuánta|cuántos|cuántas)',
    '(es|son|fue|fueron|era|eran|ha|han|había|hay|hubo|tuvo|tiene)',
    '(respectivamente|por favor|según|siguientes|siguiente|importe|monto)',
    '(en la|de la) página #number',
  ],
  answerLeads: [
    '[por favor] (responda|responde|conteste|dé|redondee|redondea|escriba|use|utilice|exprese|suponga|ignore|ignora|olvide)',
    'la respuesta debe',
  ],
  answerClauses: [
    '[por favor] (responda|responde) en',
    '(redondeado|redondeada|redondee|redondea) [el resultado|la respuesta] a',
    'expresado en',
    'expresada en',
  ],
  operations: [
    { op: 'none', form: 'diferencia entre (un|una) A y (un|una|uno) B' },
    {
      op: 'percentage change',
      form: `(${CHANGE}|<difference>) (porcentual|relativo|relativa|en porcentaje) (${IN}|entre) A`,
    },
    { op: 'percentage change', form: `(porcentaje|tasa) de (${CHANGE}) (${IN}) A` },
    { op: 'percentage change', form: `en qué porcentaje (${MOVED}) A` },
    { op: 'percentage change', form: `cuánto por ciento (${MOVED}) A` },
    { op: 'ratio', form: '(ratio|relación|cociente|razón) entre A y B' },
    { op: 'ratio', form: `(ratio|cociente) (${OF}) A (a|sobre|al) B` },
    { op: 'ratio', form: 'A (dividido|dividida|divididos|divididas) (por|entre) B' },
    {
      op: 'percentage',
      form: `(qué porcentaje|qué proporción|qué parte) (${OF}) B (representa|representan|representó|representaron|constituye|constituyen|corresponde a|corresponden a|correspondió a|proviene de|provienen de|provino de|fue|fueron|es|son) A`,
    },
    {
      op: 'percentage',
      form: `A [expresado|expresada|expresados|expresadas] (como porcentaje|en porcentaje|como proporción|como %) (${OF}) B`,
    },
    {
      op: 'percentage',
      form: `(porcentaje|proporción) (${OF}) A (sobre|respecto a|respecto al|respecto de|en relación con|en) B`,
    },
    { op: 'difference', form: `diferencia (de|en) OF entre A y B` },
    { op: 'difference', form: 'diferencia entre A (y|e) B' },
    { op: 'difference', form: `(<difference>) (${IN}|entre) A` },
    { op: 'change', form: `(${CHANGE}|diferencia) (${IN}|entre) A` },
    { op: 'change', form: `(en cuánto|cuánto) (${MOVED}) A` },
    { op: 'sum', form: `(suma|total) (${OF}) A, y (${OF}) B` },
    { op: 'sum', form: `suma (${OF}) A, y B` },
    { op: 'none', form: '(promedio ponderado|media ponderada)' },
    { op: 'average of year', form: `(promedio|media) [del año] #year (${OF}) A` },
    { op: 'average', form: `(promedio|media) [anual] (${OF}) A` },
    { op: 'sum', form: `(suma|acumulado) (${OF}) A` },
  ],
  uncomputed: [
    '(por qué|a qué se debe|a qué se debió)',
    '^ cómo',
    '¿ cómo',
    '(respectivamente|respectivo|respectivos|definido como|definida como|365|impulsado por)',
  ],
  ofYears: [
    '(en|de|durante) qué (año|años|ejercicio|ejercicios)',
    '(qué|cuál) (año|ejercicio)',
    'en cuántos (años|ejercicios)',
    'cuántos (años|ejercicios)',
  ],
  ofRows: [
    '(qué|cuál) !(año*|ejercicio*|es|fue|son|fueron|porcentaje|importe) A, (tuvo|tiene|registró|presentó|obtuvo|generó|fue|es)',
  ],
  compared: [
    '[en|de|durante] (qué|cuál|cuántos|cuántas) [año|años|ejercicio|ejercicios]',
    '(tuvo|tiene|registró|presentó|obtuvo|generó|fue|fueron|es|son|era|en|de|el|la|los|las|del|que)',
  ],
  whole: { whose: '', about: 'de A', at: 'en A', from: 'de A', until: 'a A', of: 'A de B', and: 'A y B' },
  pages: ['(en la|de la) página A'],
};
