/** A question to the person. It is drawn from its options and its answer_schema: no kind of question needs code of its own. */

import { useId, useRef, useState } from "react";
import { decide, upload } from "../api/gateway";
import type { AnswerSchema, Attachment, Decision, Json, JsonObject, Option } from "../api/types";
import type { Settled } from "../state/run";
import { isKey, type Texts, useTexts } from "../texts";
import { FileChip } from "./files";
import { useLanguage } from "./language";
import { Failure, Members, moment, useCall } from "./parts";

interface Props {
  session: string;
  decision: Decision;
  /** Opens the editor of what is asked about, where there is one; an option of that name is answered by it. */
  onEdit?: () => void;
}

export function DecisionCard({ session, decision, onEdit }: Props) {
  const t = useTexts();
  const language = useLanguage();
  const [busy, error, call] = useCall();
  const [chosen, setChosen] = useState<Option | null>(null);
  const properties = decision.answer_schema.properties ?? {};
  const member = "choice" in properties ? "choice" : "action";
  const options = decision.options ?? [];
  const answer = (said: JsonObject) => call(() => decide(session, decision.decision_id, said));
  const choose = (option: Option) => {
    if (option.value === "edit" && onEdit) onEdit();
    else if (moreOf(option.value, properties)) setChosen(option === chosen ? null : option);
    else void answer({ [member]: option.value });
  };
  const params = decision.subject?.params;
  return (
    <section id={`decision-${decision.decision_id}`} className="decision" role="group" aria-label={decision.question} lang={decision.language}>
      <p className="said">{decision.question}</p>
      {decision.kind === "tool" && isObject(params) && (
        <>
          <small>{t("decision.arguments")}</small>
          <Members of={params} />
        </>
      )}
      <div className="offers">
        {options.map((option, at) => (
          <button
            type="button"
            key={option.value}
            className={at === 0 ? "primary" : undefined}
            disabled={busy}
            aria-pressed={chosen ? option === chosen : undefined}
            onClick={() => choose(option)}
          >
            {option.label}
          </button>
        ))}
      </div>
      {chosen && (
        <More
          key={chosen.value}
          option={chosen}
          properties={properties}
          busy={busy}
          onAnswer={(said) => void answer({ [member]: chosen.value, ...said })}
        />
      )}
      {("text" in properties || "attachments" in properties) && (
        <Words session={session} properties={properties} busy={busy} onAnswer={answer} />
      )}
      <Failure text={error} />
      <small className="deadline">
        {t("decision.deadline", { time: moment(decision.deadline, language) })} · {unanswered(decision, t)}
      </small>
    </section>
  );
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function unanswered(decision: Decision, t: Texts): string {
  const taken = decision.default?.action ?? decision.default?.choice;
  if (typeof taken !== "string") return t("decision.ends");
  const label = decision.options?.find((option) => option.value === taken)?.label ?? taken;
  return t("decision.default", { answer: label });
}

/** What else an option wants to be told: a reason for a no, limits for more. */
function moreOf(value: string, properties: Record<string, AnswerSchema>): "reason" | "budget" | null {
  if (value === "reject" && "reason" in properties) return "reason";
  if (value === "raise" && "budget" in properties) return "budget";
  return null;
}

/** What a limit of a budget is of, in the page's words where it has some. */
function limitOf(name: string, t: Texts): string {
  const key = `budget.${name}`;
  return isKey(key) ? t(key) : name;
}

interface MoreProps {
  option: Option;
  properties: Record<string, AnswerSchema>;
  busy: boolean;
  onAnswer: (said: JsonObject) => void;
}

function More({ option, properties, busy, onAnswer }: MoreProps) {
  const t = useTexts();
  const [reason, setReason] = useState("");
  const [limits, setLimits] = useState<Record<string, string>>({});
  const budget = moreOf(option.value, properties) === "budget";
  const names = Object.keys(properties.budget?.properties ?? {});
  const said = (): JsonObject => {
    if (!budget) return reason.trim() ? { reason: reason.trim() } : {};
    const given = names.filter((name) => limits[name]);
    return given.length ? { budget: Object.fromEntries(given.map((name) => [name, Number(limits[name])])) } : {};
  };
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(said());
      }}
    >
      {budget ? (
        <fieldset>
          <legend>{t("decision.budget")}</legend>
          {names.map((name) => (
            <label key={name}>
              {limitOf(name, t)}
              <input
                type="number"
                min={0}
                step={properties.budget?.properties?.[name]?.type === "integer" ? 1 : "any"}
                value={limits[name] ?? ""}
                onChange={(event) => setLimits({ ...limits, [name]: event.target.value })}
              />
            </label>
          ))}
        </fieldset>
      ) : (
        <input
          autoFocus
          value={reason}
          maxLength={properties.reason?.maxLength ?? 2000}
          placeholder={t(option.value === "reject" && "patch" in properties ? "plan.reason" : "decision.reason")}
          aria-label={t("decision.reason")}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      <button type="submit" className="primary" disabled={busy}>
        {option.label}
      </button>
    </form>
  );
}

interface WordsProps {
  session: string;
  properties: Record<string, AnswerSchema>;
  busy: boolean;
  onAnswer: (said: JsonObject) => Promise<boolean>;
}

/** An answer in one's own words, or with files. */
function Words({ session, properties, busy, onAnswer }: WordsProps) {
  const t = useTexts();
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [files, setFiles] = useState<Attachment[]>([]);
  const [storing, failure, call] = useCall();
  const take = (list: readonly File[]) =>
    call(async () => {
      for (const file of list) {
        const stored = await upload(file, session, () => undefined);
        setFiles((now) => [...now, stored]);
      }
    });
  const said: JsonObject = {
    ...(text.trim() ? { text: text.trim() } : {}),
    ...(files.length ? { attachments: files } : {}),
  };
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        void onAnswer(said);
      }}
    >
      {"text" in properties && (
        <input
          value={text}
          maxLength={properties.text?.maxLength ?? 4000}
          placeholder={t("decision.text")}
          aria-label={t("decision.text")}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {"attachments" in properties && (
        <>
          <input
            ref={picker}
            id={id}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              void take([...(event.target.files ?? [])]);
              event.target.value = ""; // one that was left out can be chosen again
            }}
          />
          <button type="button" disabled={storing} onClick={() => picker.current?.click()}>
            {t("decision.file")}
          </button>
        </>
      )}
      {files.map((file) => (
        <FileChip key={file.artifact_id} file={file} onRemove={() => setFiles(files.filter((other) => other !== file))} />
      ))}
      <button type="submit" disabled={busy || storing || Object.keys(said).length === 0}>
        {t("decision.send")}
      </button>
      <Failure text={failure} />
    </form>
  );
}

/** A question that is no longer open, in one line. */
export function SettledLine({ settled: { question, answer } }: { settled: Settled }) {
  const t = useTexts();
  if (answer === null) {
    return (
      <p className="settled">
        {question.question.split("\n")[0]}{" "}
        <span>
          {t("decision.expired")} {question.default && unanswered(question, t)}
        </span>
      </p>
    );
  }
  const value = answer.action ?? answer.choice;
  const label = question.options?.find((option) => option.value === value)?.label ?? (value as string | undefined);
  const files = Array.isArray(answer.attachments) ? (answer.attachments as Attachment[]).map((file) => file.name) : [];
  // a no in one's own words is what they say, and not a no
  const said = [answer.reason, answer.text, ...files].filter((word): word is string => typeof word === "string" && word !== "");
  const words = said.length || !label ? said : [label];
  return (
    <p className="settled">
      {question.question.split("\n")[0]} <span>{t("decision.taken", { answer: words.join(" — ") || "✓" })}</span>
    </p>
  );
}
