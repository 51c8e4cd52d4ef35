/** A plan as a graph: what waits for what, and how far each step is. Loaded only when somebody looks at it. */

import { Graph, layout } from "@dagrejs/dagre";
import { Background, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useMemo } from "react";
import type { Todo } from "../state/run";
import { Mark } from "./parts";

const WIDTH = 190;
const HEIGHT = 64;

type Step = Node<{ todo: Todo }, "step">;

function StepNode({ data: { todo } }: NodeProps<Step>) {
  return (
    <div className={`step ${todo.stage}`}>
      <Handle type="target" position={Position.Left} />
      <Mark stage={todo.stage} />
      <span>
        {todo.item.title}
        {todo.note && <small>{todo.note}</small>}
      </span>
      {todo.stage === "running" && <progress value={todo.fraction || undefined} />}
      <Handle type="source" position={Position.Right} />
    </div>
  );
}

const KINDS = { step: StepNode };

export default function PlanGraph({ todos, dark }: { todos: readonly Todo[]; dark: boolean }) {
  const shape = todos.map((todo) => `${todo.item.id}<${(todo.item.depends_on ?? []).join()}`).join();
  // places depend on the shape alone, not on how far the steps are
  const places = useMemo(() => placed(todos), [shape]);
  const nodes: Step[] = todos.map((todo) => ({
    id: todo.item.id,
    type: "step",
    position: places.get(todo.item.id) ?? { x: 0, y: 0 },
    data: { todo },
    draggable: false,
    connectable: false,
  }));
  return (
    <div className="graph">
      <ReactFlow
        nodes={nodes}
        edges={edgesOf(todos)}
        nodeTypes={KINDS}
        colorMode={dark ? "dark" : "light"}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.1}
        nodesFocusable={false}
        edgesFocusable={false}
        preventScrolling={false}
        zoomOnScroll={false}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function edgesOf(todos: readonly Todo[]): Edge[] {
  const stages = new Map(todos.map((todo) => [todo.item.id, todo.stage]));
  const waits = new Map(todos.map((todo) => [todo.item.id, todo.item.depends_on ?? []]));
  return todos.flatMap((todo) =>
    nearest(todo.item.depends_on ?? [], waits).map((before) => ({
      id: `${before}>${todo.item.id}`,
      source: before,
      target: todo.item.id,
      animated: stages.get(before) === "done" && todo.stage === "running",
    })),
  );
}

/** Without those that one of the others waits for anyway: an arrow for them would say nothing new. */
function nearest(before: readonly string[], waits: ReadonlyMap<string, readonly string[]>): string[] {
  const implied = new Set<string>();
  const follow = (id: string) => {
    for (const other of waits.get(id) ?? []) {
      if (!implied.has(other)) {
        implied.add(other);
        follow(other);
      }
    }
  };
  before.forEach(follow);
  return before.filter((id) => !implied.has(id));
}

function placed(todos: readonly Todo[]): Map<string, { x: number; y: number }> {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { item } of todos) graph.setNode(item.id, { width: WIDTH, height: HEIGHT });
  for (const { item } of todos) for (const before of item.depends_on ?? []) graph.setEdge(before, item.id);
  layout(graph);
  return new Map(
    todos.map(({ item }) => {
      const node = graph.node(item.id) as { x: number; y: number };
      return [item.id, { x: node.x - WIDTH / 2, y: node.y - HEIGHT / 2 }];
    }),
  );
}
