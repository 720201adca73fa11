/** A page that failed by our own fault: it says so, and the rest of the console is a click away. */
import { useRouteError } from 'react-router';
import { LinkButton } from '../parts/button.tsx';
import { FaultBox } from '../parts/states.tsx';
import { faultOf } from '../server/messages.ts';
import { WORDS } from '../words.ts';

/** As browsers say that a file of the console is not there. */
const IS_REPLACED = /dynamically imported module|module script failed/i;

export function Broken() {
  const told = faultOf(useRouteError());
  const fault = IS_REPLACED.test(told.message) ? { ...told, ...WORDS.shell.replaced } : told;
  return (
    <main className="stack">
      <FaultBox fault={fault} onRetry={() => location.reload()} />
      <div>
        <LinkButton to="/">{WORDS.pages.home}</LinkButton>
      </div>
    </main>
  );
}
