/** Bare node:http and ws: sends each post as one message and reads its acknowledgement. It stores nothing. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer((incoming, answer) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const message: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const told = JSON.stringify({ id: String(count++), payload: message });
    for (const client of sockets.clients) client.send(told);
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
  });
});
let count = 0;
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket) => {
  socket.on('message', (data) => void JSON.parse((data as Buffer).toString('utf8')));
});
process.on('SIGTERM', () => process.exit());
server.listen(Number(process.argv[2]), '127.0.0.1');
