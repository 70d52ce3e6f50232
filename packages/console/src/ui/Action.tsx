import type { Effect } from "effect"
import { type ReactNode, useEffect, useRef, useState } from "react"
import { type ActionCall, type ActionName, callOf } from "../api/actions.ts"
import { useAct } from "../api/hooks.ts"
import { MissingGrant } from "./MissingGrant.tsx"
import { Failed } from "./Notice.tsx"
import { Terms } from "./Terms.tsx"
import { tell } from "./told.ts"

/** What a person is asked before an action, each by its name in the form. */
export interface Asked {
  readonly name: string
  readonly label: string
  readonly kind?: "line" | "text"
  readonly optional?: boolean
  /** What there is to choose from. */
  readonly options?: ReadonlyArray<string>
  /** What stands there at first. */
  readonly initial?: string
}

interface ActionProps<N extends ActionName | null, A, E> {
  /** The endpoint that it calls, null where the browser does it alone: by its annotations the person is told who may, who has to agree, and what is written down. */
  readonly does: N
  readonly label: string
  /** What will change, in words, before it does. */
  readonly preview: ReactNode
  readonly ask?: ReadonlyArray<Asked>
  readonly tone?: "primary" | "danger"
  /** The key that opens it: of several on a screen the one where the reader is, else the first. */
  readonly hotkey?: "a"
  /** `key` is the same for all attempts of one opening, so that an attempt whose answer was lost is not done twice. */
  readonly act: (
    answers: Readonly<Record<string, string>>,
    key: string
  ) => (ask: ActionCall<NoInfer<N>>) => Effect.Effect<A, E>
  /** What to say of the answer. */
  readonly done?: (answer: A) => ReactNode
}

interface Given {
  readonly answers: Readonly<Record<string, string>>
  readonly key: string
}

const answersOf = (form: HTMLFormElement): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : []))
  )

const Question = ({ asked }: { readonly asked: Asked }) => {
  const { initial = "", kind = "line", label, name, optional = false, options } = asked
  const field = { name, required: !optional, defaultValue: initial }
  return (
    <label>
      {label}
      <div>
        {options !== undefined ? (
          <select {...field}>
            {(optional ? ["", ...options] : options).map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        ) : kind === "text" ? (
          <textarea {...field} />
        ) : (
          <input {...field} autoComplete="off" />
        )}
      </div>
    </label>
  )
}

/** A button that says what it will do before it does it, does it once, and says what came of it. */
export const Action = <N extends ActionName | null, A, E>({
  act,
  ask = [],
  does,
  done,
  hotkey,
  label,
  preview,
  tone
}: ActionProps<N, A, E>) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [answer, setAnswer] = useState<ReactNode>(null)
  const { error, isPending, mutateAsync, reset } = useAct(
    ({ answers, key }: Given) =>
      (api) =>
        act(answers, key)(callOf<N>(api, does))
  )
  const [isOpen, setOpen] = useState(false)
  const key = useRef("")
  const refused = useRef<unknown>(null)
  // what it was refused with may have taken away the row with this very button, before it was ever rendered with the error
  useEffect(() => () => void (refused.current === null || tell(refused.current)), [])
  const open = () => {
    key.current = crypto.randomUUID()
    refused.current = null
    tell(null)
    reset()
    setAnswer(null)
    setOpen(true)
    dialog.current?.showModal()
  }
  const close = () => {
    refused.current = null
    dialog.current?.close()
  }
  const submit = async (form: HTMLFormElement) => {
    const result = await mutateAsync({ answers: answersOf(form), key: key.current }).then(
      (value) => ({ value }),
      (failure: unknown) => {
        if (dialog.current === null) tell(failure)
        else refused.current = failure
      }
    )
    if (result === undefined) return
    const said = done?.(result.value) ?? null
    if (said === null) close()
    else setAnswer(said)
  }
  return (
    <>
      <button type="button" className={tone ?? ""} onClick={open} aria-keyshortcuts={hotkey}>
        {label}
      </button>
      <dialog ref={dialog} aria-label={label} onClose={() => setOpen(false)}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void submit(event.currentTarget)
          }}
        >
          <h2>{label}</h2>
          <div>{preview}</div>
          {isOpen && answer === null && does !== null ? <Terms action={does} /> : null}
          {answer === null ? ask.map((one) => <Question key={one.name} asked={one} />) : answer}
          {error === null ? null : <Failed error={error} />}
          <MissingGrant error={error} />
          <div className="actions">
            {answer === null ? (
              <button type="submit" className={tone ?? "primary"} disabled={isPending}>
                {isPending ? "Working …" : label}
              </button>
            ) : null}
            <button type="button" onClick={close}>
              {answer === null ? "Cancel" : "Close"}
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
