/** The first page: what is here, how large and fresh it is, what is on its way, what went wrong. */
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { WORDS } from '../../words.ts';

export function Component() {
  return (
    <Page title={WORDS.pages.home} name={WORDS.pages.home}>
      <Skeleton />
    </Page>
  );
}
