/** Every component in every state; in development only. */
import { Button, IconButton, LinkButton } from '../../parts/button.tsx';
import { CheckField, TextArea, TextField } from '../../parts/field.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { WORDS } from '../../words.ts';

const FAULT = {
  message: 'relation "filings" does not exist',
  sqlstate: '42P01',
  hint: 'Perhaps you meant "filing".',
  position: 15,
};

export function Component() {
  const { title } = WORDS.components;
  return (
    <Page title={title} name={title}>
      <Section title="Buttons">
        <div className="row">
          <Button>Plain</Button>
          <Button kind="main">Main</Button>
          <Button kind="bad">Delete</Button>
          <Button kind="bare">Bare</Button>
          <Button disabled>Disabled</Button>
          <IconButton icon="copy" label="Copy" />
          <LinkButton to="/">Link</LinkButton>
        </div>
      </Section>
      <Section title="Fields">
        <TextField label="Name" help="A word of help" />
        <TextField label="Name" fault="It is taken" defaultValue="films" />
        <TextArea label="Text" rows={3} />
        <CheckField label="Yes" defaultChecked />
      </Section>
      <Section title="States">
        <div className="row">
          <Badge>plain</Badge>
          <Badge tone="good">ready</Badge>
          <Badge tone="warn">waiting</Badge>
          <Badge tone="bad">failed</Badge>
          <Badge tone="busy">building</Badge>
          <When at={new Date(Date.now() - 7_200_000).toISOString()} />
        </div>
        <Empty
          title="No collections yet"
          action={<Button kind="main">Create a collection</Button>}
          sql="CREATE TABLE films (_id text)"
        >
          A collection is a table whose columns can be searched.
        </Empty>
        <Skeleton />
        <FaultBox fault={FAULT} onRetry={() => undefined} />
      </Section>
    </Page>
  );
}
