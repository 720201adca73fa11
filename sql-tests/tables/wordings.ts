/** Words that made tables have around their numbers, by style: lines of a statement, units, periods. */

export interface Wording {
  /** `%` is the year. */
  readonly periods: readonly { readonly header: string; readonly period: string }[];
  readonly units: readonly { readonly line: string; readonly unit: string; readonly power: number | null }[];
  readonly sections: readonly string[];
  readonly lines: readonly string[];
  readonly total: string;
  readonly perShare: string;
  readonly ratio: string;
  readonly headcount: string;
  readonly change: string;
}

const YEAR = { header: '%', period: '%' };

const ENGLISH: Wording = {
  periods: [
    YEAR,
    { header: 'FY%', period: '%' },
    { header: 'Year ended December 31, %', period: 'P1Y/%-12-31' },
    { header: 'Three months ended June 30, %', period: 'P3M/%-06-30' },
    { header: 'Q3 %', period: '%-Q3' },
    { header: 'As of March 31, %', period: '%-03-31' },
  ],
  units: [
    { line: '(in millions of U.S. dollars, except per share amounts)', unit: 'USD', power: 6 },
    { line: '($ in thousands)', unit: '$', power: 3 },
    { line: 'in £m', unit: 'GBP', power: 6 },
    { line: 'EUR million', unit: 'EUR', power: 6 },
    { line: "US$'000", unit: 'USD', power: 3 },
  ],
  sections: ['Operating activities', 'Costs and expenses', 'Investing'],
  lines: ['Net sales', 'Services', 'Cost of sales', 'Marketing', 'Research', 'Depreciation', 'Other'],
  total: 'Total',
  perShare: 'Diluted earnings per share',
  ratio: 'Tax rate',
  headcount: 'Number of employees',
  change: 'Change',
};
const GERMAN: Wording = {
  periods: [
    YEAR,
    { header: 'Geschäftsjahr %', period: '%' },
    { header: '31.12.%', period: '%-12-31' },
    { header: '2. Quartal %', period: '%-Q2' },
    { header: '1. Halbjahr %', period: '%-H1' },
  ],
  units: [
    { line: 'in Mio. €', unit: 'EUR', power: 6 },
    { line: 'in TEUR', unit: 'EUR', power: 3 },
    { line: '(in Tsd. Euro)', unit: 'EUR', power: 3 },
    { line: 'Angaben in Millionen CHF', unit: 'CHF', power: 6 },
  ],
  sections: ['Laufende Geschäftstätigkeit', 'Aufwendungen', 'Investitionen'],
  lines: [
    'Umsatzerlöse',
    'Dienstleistungen',
    'Materialaufwand',
    'Vertrieb',
    'Forschung',
    'Abschreibungen',
    'Sonstiges',
  ],
  total: 'Summe',
  perShare: 'Ergebnis je Aktie',
  ratio: 'Umsatzrendite',
  headcount: 'Mitarbeiter',
  change: 'Veränderung',
};
const FRENCH: Wording = {
  periods: [
    YEAR,
    { header: 'Exercice %', period: '%' },
    { header: '31 décembre %', period: '%-12-31' },
    { header: '1er semestre %', period: '%-H1' },
  ],
  units: [
    { line: "(en millions d'euros)", unit: 'EUR', power: 6 },
    { line: 'en milliers d’euros', unit: 'EUR', power: 3 },
    { line: 'en M€', unit: 'EUR', power: 6 },
    { line: '(en milliards de dollars américains)', unit: 'USD', power: 9 },
  ],
  sections: ['Exploitation', 'Charges', 'Investissements'],
  lines: ['Chiffre d’affaires', 'Services', 'Achats', 'Commerce', 'Recherche', 'Amortissements', 'Autres'],
  total: 'Total',
  perShare: 'Résultat par action',
  ratio: 'Taux d’imposition',
  headcount: 'Salariés',
  change: 'Variation',
};
const SPANISH: Wording = {
  periods: [
    YEAR,
    { header: 'Ejercicio %', period: '%' },
    { header: '31 de diciembre de %', period: '%-12-31' },
    { header: '2º trimestre %', period: '%-Q2' },
  ],
  units: [
    { line: '(en miles de euros)', unit: 'EUR', power: 3 },
    { line: 'en millones de dólares estadounidenses', unit: 'USD', power: 6 },
    { line: 'Cifras en millones de euros', unit: 'EUR', power: 6 },
  ],
  sections: ['Explotación', 'Gastos', 'Inversión'],
  lines: [
    'Ventas netas',
    'Servicios',
    'Aprovisionamientos',
    'Comercial',
    'Investigación',
    'Amortización',
    'Otros',
  ],
  total: 'Total',
  perShare: 'Beneficio por acción',
  ratio: 'Tasa impositiva',
  headcount: 'Empleados',
  change: 'Variación',
};
const INDIAN: Wording = {
  ...ENGLISH,
  units: [
    { line: '(₹ in crore)', unit: 'INR', power: 7 },
    { line: '(Rs. in lakhs)', unit: 'INR', power: 5 },
    { line: 'INR million', unit: 'INR', power: 6 },
  ],
};
const CHINESE: Wording = {
  periods: [
    YEAR,
    { header: '%年', period: '%' },
    { header: '%年度', period: '%' },
    { header: '%年12月31日', period: '%-12-31' },
  ],
  units: [
    { line: '单位：百万元', unit: 'CNY', power: 6 },
    { line: '（人民币千元）', unit: 'CNY', power: 3 },
    { line: '单位：亿元', unit: 'CNY', power: 8 },
  ],
  sections: ['经营活动', '成本费用', '投资活动'],
  lines: ['营业收入', '服务', '营业成本', '销售费用', '研发费用', '折旧', '其他'],
  total: '合计',
  perShare: '每股收益',
  ratio: '毛利率',
  headcount: '员工人数',
  change: '变动',
};
const ARABIC: Wording = {
  periods: [YEAR, { header: 'سنة %', period: '%' }],
  units: [
    { line: '(بالمليون دولار أمريكي)', unit: 'USD', power: 6 },
    { line: '(بآلاف الريالات)', unit: '', power: 3 },
  ],
  sections: ['الأنشطة التشغيلية', 'المصروفات', 'الاستثمار'],
  lines: ['صافي المبيعات', 'الخدمات', 'تكلفة المبيعات', 'التسويق', 'البحث', 'الاستهلاك', 'أخرى'],
  total: 'المجموع',
  perShare: 'ربحية السهم لكل سهم',
  ratio: 'نسبة الضريبة',
  headcount: 'عدد الموظفين',
  change: 'التغير',
};

export const WORDINGS: Readonly<Record<string, Wording>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  ch: {
    ...GERMAN,
    units: [
      { line: 'in Mio. CHF', unit: 'CHF', power: 6 },
      { line: 'in CHF 1000', unit: 'CHF', power: 3 },
    ],
  },
  in: INDIAN,
  ar: ARABIC,
  zh: CHINESE,
  es: SPANISH,
  iso: ENGLISH,
};
