import {
  AlarmClock,
  Archive,
  ArrowLeft,
  CalendarDays,
  ChartNoAxesColumn,
  Check,
  ChevronRight,
  CircleCheck,
  CircleCheckBig,
  CircleDot,
  Command,
  Download,
  Folder,
  GitMerge,
  Hash,
  Inbox,
  Link2,
  Lock,
  type LucideIcon,
  MessageSquare,
  PanelRight,
  Pencil,
  Plus,
  Search,
  Settings,
  Tickets,
  UserRound,
  UserRoundCheck,
  UserRoundX,
} from 'lucide-react';

import { PrioritySign } from '../kit/signs.tsx';
import { actOf } from './command-order.ts';

/** By the id of the command. */
const SIGNS: Record<string, LucideIcon> = {
  assignee: UserRound,
  assign: UserRound,
  take: UserRoundCheck,
  status: CircleDot,
  snooze: AlarmClock,
  tags: Hash,
  tag: Hash,
  reply: MessageSquare,
  note: Lock,
  'send-close': CircleCheck,
  'send-wait': AlarmClock,
  due: CalendarDays,
  queue: Folder,
  merge: GitMerge,
  link: Link2,
  'copy-link': Link2,
  'edit-title': Pencil,
  'edit-description': Pencil,
  details: PanelRight,
  archive: Archive,
  back: ArrowLeft,
  select: CircleCheckBig,
  csv: Download,
  search: Search,
  read: Check,
  'go-inbox': Inbox,
  'go-open': CircleDot,
  'go-mine': UserRound,
  'go-unassigned': UserRoundX,
  'go-snoozed': AlarmClock,
  'go-all': Tickets,
  'go-analytics': ChartNoAxesColumn,
  'go-sla': ChartNoAxesColumn,
  'go-settings': Settings,
  new: Plus,
  keys: Command,
};

/** What a command is about, as a picture. */
export function CommandSign({ id }: { id: string }) {
  if (actOf(id) === 'priority') return <PrioritySign priority="HIGH" size={15} />;
  const Sign = SIGNS[actOf(id)] ?? ChevronRight;
  return <Sign size={15} aria-hidden />;
}
