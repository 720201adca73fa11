/** An answer as it is copied. */
import { type AnswerView, badgesOf } from './model.ts';

/** Facts as a list, what they cite as notes below. */
export function asMarkdown(view: AnswerView): string {
  const badges = badgesOf(view.facts);
  const facts = view.facts.map(({ number, text }) => {
    const own = badges.filter(({ fact }) => fact === number).map((badge) => `[${badge.number}]`);
    return `${number}. ${escaped(text)} ${own.join(' ')}`;
  });
  const notes = badges.map(({ number, main: [first], citations }) => {
    if (first === undefined) return `[${number}]`;
    const pages = first.doc_pages.length > 0 ? `, p. ${first.doc_pages.join(', ')}` : '';
    const quotes = citations.map(({ quote }) => `“${escaped(quote)}”`).join(' … ');
    return `[${number}] ${escaped(first.doc_name)} (${escaped(first.dataset)}/${escaped(first.doc_id)}${pages}): ${quotes}`;
  });
  const confidence = view.confidence === null ? [] : [`Confidence: ${Math.round(view.confidence)} of 100`];
  return [`## ${escaped(view.question)}`, facts.join('\n'), notes.join('  \n'), ...confidence].join('\n\n');
}

/** Texts of documents stay text where the copy is read as Markdown. */
const escaped = (text: string): string =>
  text.replaceAll(/[\\`*_<>[\]#|]/g, '\\$&').replaceAll(/\s*\n\s*/g, ' ');

export const asJson = (view: AnswerView): string =>
  JSON.stringify(
    {
      answer_id: view.id,
      question: view.question,
      datasets: view.datasets,
      confidence: view.confidence,
      facts: view.facts.map(({ text, computed, citations }) => ({
        fact: text,
        computed,
        citations: citations.map(
          ({ fact_number: _fact, citation_number: _citation, line: _line, ...rest }) => rest,
        ),
      })),
    },
    null,
    2,
  );
