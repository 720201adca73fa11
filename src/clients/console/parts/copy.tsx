/** Copies a text, and says that it has. */
import { useEffect, useState } from 'react';
import { WORDS } from '../words.ts';
import { Button, IconButton } from './button.tsx';

const SAID_MS = 1500;

interface CopyProps {
  /** A function where it takes time to write. */
  readonly text: string | (() => string);
  readonly label?: string;
  /** The label stands on it. */
  readonly isNamed?: boolean;
}

export function CopyButton({ text, label = WORDS.copy, isNamed = false }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    // Refused where the page is not served safely; what is shown can still be marked by hand.
    navigator.clipboard?.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  const said = isCopied ? WORDS.copied : label;
  const icon = isCopied ? 'check' : 'copy';
  if (!isNamed) return <IconButton icon={icon} label={said} onClick={copy} />;
  return (
    <Button kind="bare" icon={icon} onClick={copy}>
      {said}
    </Button>
  );
}
