/** A command that signs in by this browser (`quern login`): who asks and from where, and a key for it, or none. */
import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { request } from '../../server/request.ts';
import { useLoaded } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';

const { device: words } = WORDS;

interface Waiting {
  readonly code: string;
  readonly client: string;
  readonly address: string;
}

export function Component() {
  const [search] = useSearchParams();
  const code = search.get('code') ?? '';
  const load = useCallback(
    async (signal: AbortSignal) =>
      (await (await request(`device/${encodeURIComponent(code)}`, { signal })).json()) as Waiting,
    [code],
  );
  const { value, fault, reload } = useLoaded(load);
  const [answer, setAnswer] = useState<'approved' | 'refused' | null>(null);
  return (
    <Page title={words.title} name={words.title}>
      {answer !== null && <Empty title={words.answers[answer]}>{words.closeTab}</Empty>}
      {answer === null && fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {answer === null && fault === null && value === null && <Skeleton />}
      {answer === null && value !== null && <Ask waiting={value} onAnswer={setAnswer} />}
    </Page>
  );
}

interface AskProps {
  readonly waiting: Waiting;
  readonly onAnswer: (answer: 'approved' | 'refused') => void;
}

function Ask({ waiting: { code, client, address }, onAnswer }: AskProps) {
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('90 days');
  const { isBusy, fault, attempt } = useAttempt();
  const send = async (isApproved: boolean): Promise<void> => {
    const about = { ...(name !== '' && { name }), ...(expires !== '' && { expires }) };
    const json = isApproved ? { approve: true, ...about } : { approve: false };
    const path = `device/${encodeURIComponent(code)}`;
    if (await attempt(() => request(path, { method: 'POST', json }))) {
      onAnswer(isApproved ? 'approved' : 'refused');
    }
  };
  return (
    <Section title={words.asks(client)}>
      <div className="stack form">
        <p>
          {words.from(address)} <strong className="mono">{code}</strong>
        </p>
        <p className="quiet">{words.said}</p>
        <TextField
          label={words.name}
          help={WORDS.keys.help.name}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label={WORDS.keys.fields.expires}
          help={WORDS.keys.help.expires}
          value={expires}
          onChange={({ target }) => setExpires(target.value)}
        />
        <div className="row">
          <Button kind="main" disabled={isBusy} onClick={() => void send(true)}>
            {words.approve}
          </Button>
          <Button disabled={isBusy} onClick={() => void send(false)}>
            {words.refuse}
          </Button>
        </div>
        {fault !== null && <FaultBox fault={fault} />}
      </div>
    </Section>
  );
}
