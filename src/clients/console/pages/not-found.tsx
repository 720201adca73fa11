/** An address that leads nowhere. */
import { LinkButton } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { WORDS } from '../words.ts';

export function NotFound() {
  return (
    <Page title={WORDS.notFound} name={WORDS.notFound}>
      <Empty title={WORDS.notFound} action={<LinkButton to="/">{WORDS.pages.home}</LinkButton>}>
        {WORDS.notFoundSaid}
      </Empty>
    </Page>
  );
}
