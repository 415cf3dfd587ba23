import type { ReactNode } from 'react';

import type { CardBlock, ContainerBlock, TaskBlock } from '../types.ts';
import { Element } from './elements.tsx';
import { RichText } from './rich-text.tsx';
import type { Surface } from './surface.ts';
import { Picture, Words } from './text.tsx';

export function Card({ block, surface }: { block: CardBlock; surface: Surface }) {
  return (
    <div className="block-card">
      {block.hero_image && <Picture image={block.hero_image} />}
      <div className="block-card-main">
        {block.title && (
          <strong>
            <Words text={block.title} />
          </strong>
        )}
        {block.subtitle && (
          <div className="dim">
            <Words text={block.subtitle} />
          </div>
        )}
        {block.body && (
          <div>
            <Words text={block.body} />
          </div>
        )}
      </div>
      {block.actions && (
        <div className="block-actions">
          {block.actions.map((element, at) => (
            <Element key={element.action_id ?? at} element={element} block={block} surface={surface} />
          ))}
        </div>
      )}
    </div>
  );
}

export function Container({ block, children }: { block: ContainerBlock; children: ReactNode }) {
  const head = (
    <>
      {block.rich_text_title ? <RichText block={block.rich_text_title} /> : <Words text={block.title} />}
      {block.subtitle && (
        <div className="dim">
          <Words text={block.subtitle} />
        </div>
      )}
    </>
  );
  return block.is_collapsible ? (
    <details className="block-container" open={!block.default_collapsed}>
      <summary>{head}</summary>
      {children}
    </details>
  ) : (
    <div className="block-container">
      <div className="block-container-head">{head}</div>
      {children}
    </div>
  );
}

const STATES: Partial<Record<string, string>> = { pending: '○', in_progress: '◐', complete: '●', error: '✕' };

export function Task({ block }: { block: TaskBlock }) {
  const { title = '', status = '', details, output } = block;
  return (
    <div className="block-task">
      <span aria-hidden="true">{STATES[status] ?? '○'}</span>
      {` ${title} `}
      <span className="dim">{status.replace('_', ' ')}</span>
      {details?.type === 'rich_text' && <RichText block={details} />}
      {output?.type === 'rich_text' && <RichText block={output} />}
    </div>
  );
}
