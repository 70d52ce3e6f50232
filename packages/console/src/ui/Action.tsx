import type { Effect } from "effect"
import { type ReactNode, useEffect, useRef, useState } from "react"
import type { Api } from "../api/client.ts"
import { useAct } from "../api/hooks.ts"
import { MissingGrant } from "./MissingGrant.tsx"
import { Failed } from "./Notice.tsx"
import { tell } from "./told.ts"

/** What a person is asked before an action, each by its name in the form. */
export interface Asked {
  readonly name: string
  readonly label: string
  readonly kind?: "line" | "text"
  readonly optional?: boolean
}

interface ActionProps<A, E> {
  readonly label: string
  /** What will change, in words, before it does. */
  readonly preview: ReactNode
  readonly ask?: ReadonlyArray<Asked>
  readonly tone?: "primary" | "danger"
  readonly act: (answers: Readonly<Record<string, string>>) => (api: Api) => Effect.Effect<A, E>
  /** What to say of the answer. */
  readonly done?: (answer: A) => ReactNode
}

const answersOf = (form: HTMLFormElement): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : []))
  )

/** A button that says what it will do before it does it, does it once, and says what came of it. */
export const Action = <A, E>({ act, ask = [], done, label, preview, tone }: ActionProps<A, E>) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [answer, setAnswer] = useState<ReactNode>(null)
  const { error, isPending, mutateAsync, reset } = useAct(act)
  const refused = useRef<unknown>(null)
  refused.current = error
  // what it was refused with may have taken away the row with this very button
  useEffect(() => () => void (refused.current === null || tell(refused.current)), [])
  const open = () => {
    tell(null)
    reset()
    setAnswer(null)
    dialog.current?.showModal()
  }
  const close = () => dialog.current?.close()
  const submit = async (form: HTMLFormElement) => {
    const result = await mutateAsync(answersOf(form)).then(
      (value) => ({ value }),
      (failure: unknown) => void (dialog.current === null && tell(failure))
    )
    if (result === undefined) return
    const said = done?.(result.value) ?? null
    if (said === null) close()
    else setAnswer(said)
  }
  return (
    <>
      <button type="button" className={tone ?? ""} onClick={open}>
        {label}
      </button>
      <dialog ref={dialog} aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void submit(event.currentTarget)
          }}
        >
          <h2>{label}</h2>
          <div>{preview}</div>
          {answer === null
            ? ask.map(({ kind = "line", label: question, name, optional = false }) => (
                <label key={name}>
                  {question}
                  {kind === "text" ? (
                    <textarea name={name} required={!optional} />
                  ) : (
                    <div>
                      <input name={name} required={!optional} autoComplete="off" />
                    </div>
                  )}
                </label>
              ))
            : answer}
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
