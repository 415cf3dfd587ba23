import type { BlockElement, Option, Suggested, UploadedFile, Value } from '../types.ts';

/** The block that an element is in. */
export interface Placed {
  type: string;
  block_id?: string;
  optional?: boolean;
}

/** The surface of blocks: it holds the values of their elements and sends actions to the app. */
export interface Surface {
  kind: 'message' | 'modal' | 'home';
  id: string;
  /** By block id. */
  errors?: Record<string, string>;
  /** Takes the error off a block that the person changes. */
  mend?: (blockId: string) => void;
  given: (block: Placed, element: BlockElement) => Value | undefined;
  put: (block: Placed, element: BlockElement, value: Value) => void;
  act: (block: Placed, element: BlockElement, value?: Value) => Promise<unknown>;
  suggest: (block: Placed, element: BlockElement, typed: string) => Promise<Suggested>;
  /** The options that an external select holds. */
  options: (block: Placed, element: BlockElement) => Option[];
  keepOptions: (block: Placed, element: BlockElement, options: Option[]) => void;
  upload: (files: File[]) => Promise<UploadedFile[]>;
}

/** Attributes that an element gets from its field. */
export interface ElementAria {
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
}

export interface ElementProps {
  element: BlockElement;
  tool: Tool;
}

/** The context in which an element is rendered. */
export interface Tool {
  surface: Surface;
  block: Placed;
  /** The accessible name. */
  label: string;
  aria: ElementAria;
  given: Value | undefined;
  /** Stores the value. */
  put: (value: Value) => void;
  /** Notifies the app. */
  tell: (value?: Value) => Promise<unknown> | undefined;
  /** Stores the value and notifies the app, for elements without typing. */
  choose: (value: Value) => void;
  tells: boolean;
}
