/** JSON, folded under its title. */
export function Json({ value, title }: { value: unknown; title: string }) {
  return (
    <details className="json">
      <summary>{title}</summary>
      <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>
    </details>
  );
}
