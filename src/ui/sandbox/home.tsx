import { Blocks } from './blocks/draw.tsx';
import type { App } from './types.ts';
import { views } from './views.ts';

/** The Home tab of an app, as the app published it for the acting person. */
export function Home({ app }: { app: App }) {
  const { home } = views;
  return (
    <div className="home" tabIndex={0} role="group" aria-label={`Home of ${app.name}`}>
      <div className="home-page blocks">
        {home ? (
          <Blocks blocks={home.blocks} surface={views.surface(home)} />
        ) : (
          <div className="home-empty">
            <img src={`/avatar/${app.botUserId}.svg`} alt="" width={56} height={56} />
            <h2>{app.name} has published no Home yet</h2>
            <p>It is notified that you opened this tab; what it publishes shows here at once.</p>
          </div>
        )}
      </div>
    </div>
  );
}
