/** A run: what was said, how far it is, its plan and questions, and its answer. */

import { useEffect, useState } from "react";
import { decide, editPlan } from "../api/gateway";
import type { PatchOperation } from "../api/types";
import { isOver, LAYERS, type Run } from "../state/run";
import { useTexts } from "../texts";
import { Answer, Ending } from "./answer";
import { DecisionCard, SettledLine } from "./decision";
import { FileChip } from "./files";
import { Failure, Mark, useCall } from "./parts";
import { PlanView } from "./plan";

/** A plan that is to run as soon as it has been edited: the question that was answered by the edit, and its version. */
interface Approves {
  asked: string;
  version: number;
}

interface Props {
  session: string;
  run: Run;
  last: boolean;
  /** False while somebody looks at the past. */
  live: boolean;
  onSay: (text: string) => void;
}

export function RunView({ session, run, last, live, onSay }: Props) {
  const [, error, call] = useCall();
  const [editing, setEditing] = useState(false);
  const [approves, setApproves] = useState<Approves | null>(null);
  const asked = run.questions.find((question) => question.kind === "plan");
  const mayEdit = live && (asked !== undefined || (run.paused && run.plan !== null));
  const version = run.plan?.version ?? 1;
  const edit = (patch: PatchOperation[], andRun: boolean) =>
    call(async () => {
      if (!asked) return editPlan(session, run.id, version, patch);
      await decide(session, asked.decision_id, { action: "edit", patch });
      if (andRun) setApproves({ asked: asked.decision_id, version });
    });
  useEffect(() => {
    if (!approves || !asked || asked.decision_id === approves.asked) return;
    setApproves(null);
    // an edit that was refused brings the question again, about the plan as it was: that is not what was approved
    if (version > approves.version) void call(() => decide(session, asked.decision_id, { action: "approve" }));
  }, [approves, asked, version]);
  return (
    <section className="run" aria-label={run.text} data-status={run.status}>
      <div className="you">
        <p>{run.text}</p>
        {run.files.length > 0 && (
          <div className="chips">
            {run.files.map((file) => (
              <FileChip key={file.artifact_id} file={file} />
            ))}
          </div>
        )}
      </div>
      {!isOver(run) && <Progress run={run} />}
      {run.settled.map((settled) => (
        <SettledLine key={settled.question.decision_id} settled={settled} />
      ))}
      {run.plan && (
        <PlanView
          run={run}
          onEdit={mayEdit ? edit : null}
          asked={asked !== undefined}
          editing={editing && mayEdit}
          onEditing={setEditing}
        />
      )}
      {run.cannot.map((sentence) => (
        <p key={sentence} className="cannot">
          {sentence}
        </p>
      ))}
      <Failure text={error} />
      {live &&
        run.questions
          .filter((question) => question !== asked || !editing)
          .map((question) => (
          <DecisionCard
            key={question.decision_id}
            session={session}
            decision={question}
            {...(question === asked ? { onEdit: () => setEditing(true) } : {})}
          />
        ))}
      <Answer session={session} run={run} last={last && live} onSay={onSay} />
      <Ending run={run} />
    </section>
  );
}

/** How far the four layers are. */
function Progress({ run }: { run: Run }) {
  const t = useTexts();
  return (
    <ol className="layers">
      {LAYERS.map((layer) => (
        <li key={layer} className={run.layers[layer]} aria-current={run.layers[layer] === "running" ? "step" : undefined}>
          <Mark stage={run.layers[layer]} /> {t(`layer.${layer}`)}
        </li>
      ))}
    </ol>
  );
}
