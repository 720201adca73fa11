/**
 * Options of views: of WITH, of WITH CHECK OPTION, which is one of them, and of ALTER VIEW SET and RESET. They are kept as they
 * were written, and what they mean is asked here. Source: transformRelOptions in PostgreSQL's reloptions.c.
 */
import type { Relation } from '../../../catalog/model.ts';
import type { WithOption } from '../../ast.ts';
import { checkRelationOptions, isOn } from './relation-options.ts';

type Options = Pick<Relation, 'checkOption' | 'options'>;

/** @throws SqlError 22023. */
export function viewOptions(written: readonly WithOption[]): Options {
  checkRelationOptions('view', written);
  const value = written.find(({ name }) => name === CHECK)?.value.toLowerCase();
  return {
    ...((value === 'local' || value === 'cascaded') && { checkOption: value }),
    ...(written.length > 0 && { options: written.map(({ name, value }) => `${name}=${value}`) }),
  };
}

/** Those of before that are not named stay where they are. @throws SqlError 22023. */
export function changedOptions(view: Relation, given: readonly WithOption[], reset: boolean): Options {
  if (!reset) checkRelationOptions('view', given);
  const named = new Set(given.map(({ name }) => name));
  const left = writtenOptions(view).filter(({ name }) => !named.has(name));
  return viewOptions(reset ? left : [...left, ...given]);
}

/** Its relations are read with the rights of who reads the view. */
export const isInvokers = (view: Relation): boolean =>
  writtenOptions(view).some((option) => option.name === 'security_invoker' && isOn(option));

const CHECK = 'check_option';

/** Views of before were kept with the check alone. */
function writtenOptions({ options, checkOption }: Options): readonly WithOption[] {
  const texts = options ?? (checkOption === undefined ? [] : [`${CHECK}=${checkOption}`]);
  return texts.map((text) => {
    const [name = '', value = ''] = text.split('=');
    return { at: 0, name, value };
  });
}
