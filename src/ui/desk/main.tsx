import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { operations } from 'virtual:operations';

const app = document.getElementById('app');
if (app)
  createRoot(app).render(
    <StrictMode>
      <main>
        <h1>Desk</h1>
        <p>{Object.keys(operations).length} operations</p>
      </main>
    </StrictMode>,
  );
