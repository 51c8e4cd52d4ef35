// One conversation of @ag-ui/client with a gateway, as a front end has it. Reads steps as JSON lines, each
// {"say": text, "id"?} or {"resume": [...]} or {} (nothing new: a page that loads), with {"props"?}; answers each with
// a line: the events, the client's messages and the interrupts it waits for, or why the client refused.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const [, , which, url, threadId, key] = process.argv;
const { HttpAgent } = await import(which);
const headers = key ? { Authorization: `Bearer ${key}` } : {};
const agent = new HttpAgent({ url, threadId, headers });

async function step({ say, id, resume, props }) {
  const events = [];
  const warned = [];
  const warn = console.warn;
  console.warn = (...said) => warned.push(said.join(" "));
  if (say !== undefined) agent.addMessage({ id: id ?? randomUUID(), role: "user", content: say });
  let error = null;
  try {
    await agent.runAgent({ resume, forwardedProps: props }, { onEvent: ({ event }) => void events.push(event) });
  } catch (refused) {
    error = { message: String(refused.message), status: refused.status ?? null };
  }
  console.warn = warn;
  return { events, messages: agent.messages, interrupts: agent.pendingInterrupts ?? [], error, warned };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await step(JSON.parse(line))));
}
