import { NativeInput } from '../../kit/native-field.tsx';
import type { Value } from '../types.ts';
import { whenAgreed } from './buttons.tsx';
import { textIn } from './state.ts';
import type { ElementProps } from './surface.ts';

/** Date, time, and both: the browser's own pickers, with keyboard support and every locale. */
export function DateElement(props: ElementProps) {
  return <Picker {...props} type="date" value={textIn(props.tool.given)} read={(value) => value || null} />;
}

export function TimeElement(props: ElementProps) {
  return <Picker {...props} type="time" value={textIn(props.tool.given)} read={(value) => value || null} />;
}

export function DateTimeElement(props: ElementProps) {
  const { given } = props.tool;
  return (
    <Picker
      {...props}
      type="datetime-local"
      value={given ? localMinute(new Date(Number(given) * 1000)) : ''}
      read={(value) => (value ? Math.floor(new Date(value).getTime() / 1000) : null)}
    />
  );
}

function Picker({
  element,
  tool,
  type,
  value,
  read,
}: ElementProps & { type: string; value: string; read: (value: string) => Value }) {
  return (
    <NativeInput
      type={type}
      value={value}
      aria-label={tool.label}
      {...tool.aria}
      onChange={(event) => {
        const { value: chosen } = event.currentTarget;
        whenAgreed(element, () => tool.choose(read(chosen)));
      }}
    />
  );
}

function localMinute(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
