import {
  Activity,
  Archive,
  AtSign,
  Bookmark,
  Check,
  ChevronDown,
  ChevronRight,
  Ellipsis,
  Eye,
  File,
  Hash,
  Link,
  Lock,
  LogOut,
  type LucideIcon,
  Menu,
  MessageSquareText,
  Paperclip,
  Pencil,
  Plus,
  SendHorizontal,
  Smile,
  Trash2,
  TriangleAlert,
  Users,
  X,
  Zap,
} from 'lucide-react';

const ICONS = {
  archive: Archive,
  at: AtSign,
  bolt: Zap,
  bookmark: Bookmark,
  check: Check,
  chevron: ChevronRight,
  clip: Paperclip,
  close: X,
  down: ChevronDown,
  edit: Pencil,
  eye: Eye,
  file: File,
  hash: Hash,
  inspect: Activity,
  leave: LogOut,
  link: Link,
  lock: Lock,
  menu: Menu,
  more: Ellipsis,
  people: Users,
  plus: Plus,
  remove: Trash2,
  send: SendHorizontal,
  smile: Smile,
  thread: MessageSquareText,
  warn: TriangleAlert,
} satisfies Record<string, LucideIcon>;

export type IconName = keyof typeof ICONS;

/** A line icon in the colour of the text. */
export function Icon({ name }: { name: IconName }) {
  const Drawn = ICONS[name];
  return <Drawn className={`icon icon-${name}`} aria-hidden />;
}
