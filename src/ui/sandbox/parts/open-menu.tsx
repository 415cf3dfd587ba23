import { Menu, MenuItem as Item } from 'react-aria-components/Menu';
import { Separator } from 'react-aria-components/Separator';

import type { MenuItem } from './menu-item.ts';
import type { Opened } from './opening-button.tsx';
import { PanelBeside } from './panel-beside.tsx';

/** The items of a menu that is open, beside its button. */
export function OpenMenu({
  label,
  items,
  ...beside
}: Opened & {
  label: string;
  items: readonly MenuItem[];
  end: boolean;
}) {
  return (
    <PanelBeside {...beside}>
      <Menu aria-label={label} className="menu" autoFocus="first" onClose={beside.close}>
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
    </PanelBeside>
  );
}
