import type { RefObject } from 'react';
import { Menu, MenuItem as Item } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';

import type { MenuItem } from './menu-item.ts';

/** The items of a menu that is open, beside its button. */
export function OpenMenu({
  label,
  items,
  trigger,
  end,
  onClose,
}: {
  label: string;
  items: readonly MenuItem[];
  trigger: RefObject<HTMLElement | null>;
  end: boolean;
  onClose: () => void;
}) {
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      className="popup"
      placement={end ? 'bottom end' : 'bottom start'}
      offset={4}
    >
      <Menu aria-label={label} className="menu" autoFocus="first" onClose={onClose}>
        {items.map((item, index) =>
          item === 'line' ? (
            <Separator key={`line ${index}`} className="menu-line" />
          ) : (
            <Item
              key={`item ${index}`}
              id={index}
              className="menu-item"
              textValue={item.label}
              onAction={() => void item.act()}
            >
              {item.sign !== undefined && (
                <span className="menu-sign" aria-hidden="true">
                  {item.sign}
                </span>
              )}
              <span className="menu-label">{item.label}</span>
              {item.hint && <span className="menu-hint">{item.hint}</span>}
            </Item>
          ),
        )}
      </Menu>
    </Popover>
  );
}
