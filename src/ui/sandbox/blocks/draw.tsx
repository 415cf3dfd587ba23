import type { ReactNode } from 'react';

import { Json } from '../parts/json.tsx';
import { safeUrl } from '../safe-url.ts';
import type { ActionsBlock, Block, SectionBlock, VideoBlock } from '../types.ts';
import { Card, Container, Task } from './composite.tsx';
import { Element } from './elements.tsx';
import { InputField } from './input.tsx';
import { Markdown } from './markdown.tsx';
import { RichText } from './rich-text.tsx';
import type { Surface } from './surface.ts';
import { Table } from './table.tsx';
import { Picture, Words } from './text.tsx';

/** Draws blocks on a surface. */
export function Blocks({ blocks, surface }: { blocks: readonly Block[]; surface: Surface }) {
  return blocks.map((block, at) => (
    <OneBlock key={`${surface.id} ${block.block_id ?? at} ${block.type}`} block={block} surface={surface} />
  ));
}

const KINDS: {
  [Kind in Block['type']]: (block: Extract<Block, { type: Kind }>, surface: Surface) => ReactNode;
} = {
  rich_text: (block) => <RichText block={block} />,
  markdown: (block) => <Markdown text={block.text ?? ''} />,
  section: (block, surface) => <Section block={block} surface={surface} />,
  header: (block, surface) => {
    const Tag = surface.kind === 'message' ? 'h3' : 'h2';
    return (
      <Tag className="block-header">
        <Words text={block.text} />
      </Tag>
    );
  },
  divider: () => <hr className="block-divider" />,
  context: (block) => (
    <div className="block-context">
      {(block.elements ?? []).map((element, at) =>
        element.type === 'image' ? (
          <Picture key={at} image={element} />
        ) : (
          <span key={at}>
            <Words text={element} />
          </span>
        ),
      )}
    </div>
  ),
  actions: (block, surface) => <Elements className="block-actions" block={block} surface={surface} />,
  context_actions: (block, surface) => (
    <Elements className="block-actions slim" block={block} surface={surface} />
  ),
  input: (block, surface) => <InputField block={block} surface={surface} />,
  image: (block) => (
    <figure className="block-image">
      {block.title && (
        <figcaption>
          <Words text={block.title} />
        </figcaption>
      )}
      <Picture image={block} />
    </figure>
  ),
  video: (block) => <Video block={block} />,
  table: (block) => <Table block={block} />,
  data_table: (block) => <Table block={block} />,
  alert: (block) => (
    <p className={`block-alert ${block.level ?? 'default'}`} role="note">
      <Words text={block.text} />
    </p>
  ),
  card: (block, surface) => <Card block={block} surface={surface} />,
  carousel: (block, surface) => (
    <div className="block-carousel" tabIndex={0} role="group" aria-label="Cards">
      {(block.elements ?? []).map((card, at) => (
        <Card key={card.block_id ?? at} block={card} surface={surface} />
      ))}
    </div>
  ),
  container: (block, surface) => (
    <Container block={block}>
      <Blocks blocks={block.child_blocks ?? []} surface={surface} />
    </Container>
  ),
  task_card: (block) => <Task block={block} />,
  plan: (block) => (
    <div className="block-plan">
      <strong>{block.title}</strong>
      {(block.tasks ?? []).map((task, at) => (
        <Task key={at} block={task} />
      ))}
    </div>
  ),
};

function OneBlock({ block, surface }: { block: Block; surface: Surface }): ReactNode {
  const draw = Object.hasOwn(KINDS, block.type)
    ? (KINDS[block.type] as (block: Block, surface: Surface) => ReactNode)
    : undefined;
  // An unknown kind is shown as JSON.
  return draw ? draw(block, surface) : <Json value={block} title={`Block “${block.type}”, not drawn here`} />;
}

function Elements({
  className,
  block,
  surface,
}: {
  className: string;
  block: ActionsBlock;
  surface: Surface;
}) {
  return (
    <div className={className}>
      {(block.elements ?? []).map((element, at) => (
        <Element key={element.action_id ?? at} element={element} block={block} surface={surface} />
      ))}
    </div>
  );
}

function Section({ block, surface }: { block: SectionBlock; surface: Surface }) {
  const { text, fields, accessory } = block;
  return (
    <div className="block-section">
      <div className="block-section-main">
        {text && (
          <div>
            <Words text={text} />
          </div>
        )}
        {fields && (
          <div className="block-fields">
            {fields.map((field, at) => (
              <div key={at}>
                <Words text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {accessory && (
        <div className="block-accessory">
          <Element element={accessory} block={block} surface={surface} />
        </div>
      )}
    </div>
  );
}

/** A video links to its own address; the sandbox embeds no foreign pages. */
function Video({ block }: { block: VideoBlock }) {
  return (
    <figure className="block-image">
      <figcaption>
        <strong>
          <Words text={block.title} />
        </strong>
        {block.author_name && ` · ${block.author_name}`}
      </figcaption>
      {block.description && (
        <p>
          <Words text={block.description} />
        </p>
      )}
      <a
        href={safeUrl(block.title_url) ?? safeUrl(block.video_url)}
        target="_blank"
        rel="noreferrer noopener"
      >
        <Picture image={{ image_url: block.thumbnail_url, alt_text: block.alt_text }} /> Watch the video ↗
      </a>
    </figure>
  );
}
