/** A run: what was said, how far it is, its plan and questions, and its answer. */

import { useState } from "react";
import { control, decide, editPlan } from "../api/gateway";
import type { PatchOperation } from "../api/types";
import { isOver, LAYERS, type Run } from "../state/run";
import { useTexts } from "../texts";
import { Answer, Ending } from "./answer";
import { DecisionCard, SettledLine } from "./decision";
import { FileChip } from "./files";
import { Failure, Mark, useCall } from "./parts";
import { PlanView } from "./plan";

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
  const asked = run.questions.find((question) => question.kind === "plan");
  const mayEdit = live && (asked !== undefined || (run.paused && run.plan !== null));
  const edit = (patch: PatchOperation[]) =>
    call(() =>
      asked
        ? decide(session, asked.decision_id, { action: "edit", patch: patch as never })
        : editPlan(session, run.id, run.plan?.version ?? 1, patch),
    );
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
      {!isOver(run) && <Progress session={session} run={run} live={live} />}
      {run.settled.map((settled) => (
        <SettledLine key={settled.question.decision_id} settled={settled} />
      ))}
      {run.plan && (
        <PlanView run={run} onEdit={mayEdit ? edit : null} editing={editing && mayEdit} onEditing={setEditing} />
      )}
      {run.cannot.map((sentence) => (
        <p key={sentence} className="cannot">
          {sentence}
        </p>
      ))}
      <Failure text={error} />
      {live &&
        run.questions.map((question) => (
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

/** The four layers, and what a person can do about a run that goes on. */
function Progress({ session, run, live }: { session: string; run: Run; live: boolean }) {
  const t = useTexts();
  const [busy, error, call] = useCall();
  const waits = run.questions.length > 0;
  const steer = (what: string) => void call(() => control(session, run.id, what));
  return (
    <div className={waits ? "progress waits" : "progress"} role="status">
      <ol className="layers">
        {LAYERS.map((layer) => (
          <li key={layer} className={run.layers[layer]} aria-current={run.layers[layer] === "running" ? "step" : undefined}>
            <Mark stage={run.layers[layer]} /> {t(`layer.${layer}`)}
          </li>
        ))}
      </ol>
      <strong className="state">{t(run.paused ? "status.paused" : waits ? "status.waiting" : "status.running")}</strong>
      {live && (
        <span className="controls">
          {run.paused ? (
            <button type="button" disabled={busy} onClick={() => steer("resume")}>
              {t("control.resume")}
            </button>
          ) : (
            run.approved && (
              <>
                <button type="button" disabled={busy} onClick={() => steer("pause")}>
                  {t("control.pause")}
                </button>
                <button type="button" disabled={busy} title={t("control.interrupt.help")} onClick={() => steer("interrupt")}>
                  {t("control.interrupt")}
                </button>
              </>
            )
          )}
          <button
            type="button"
            disabled={busy}
            onClick={() => (!run.approved || window.confirm(t("control.cancel.sure"))) && steer("cancel")}
          >
            {t("control.cancel")}
          </button>
        </span>
      )}
      <Failure text={error} />
    </div>
  );
}
