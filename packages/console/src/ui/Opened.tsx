import type { Effect } from "effect"
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import { type ActionCall, type ActionName, callOf } from "../api/actions.ts"
import { useAct } from "../api/hooks.ts"
import { Untouched } from "../api/Untouched.ts"
import { isAlike } from "./isAlike.ts"
import { MissingGrant } from "./MissingGrant.tsx"
import { Failed, Notice } from "./Notice.tsx"
import { type Asked, Question } from "./Question.tsx"
import { Shown } from "./Shown.tsx"
import { Terms } from "./Terms.tsx"
import { tell } from "./told.ts"

/** What an action does, and what a person is told and asked before it. */
export interface Offer<N extends ActionName | null, A, E> {
  /** The endpoint that it calls, null where the browser does it alone: by its annotations the person is told who may, who has to agree, and what is written down. */
  readonly does: N
  readonly label: string
  /** What will change, in words, before it does. */
  readonly preview: ReactNode
  readonly ask?: ReadonlyArray<Asked>
  readonly tone?: "primary" | "danger"
  /**
   * `key` is the same for all attempts of one opening, so that an attempt whose answer was lost is not done twice. `cancelled` says that the person has
   * closed the dialog: what waits for the person then asks for nothing any more.
   */
  readonly act: (
    answers: Answers,
    key: string,
    cancelled: AbortSignal
  ) => (ask: ActionCall<NoInfer<N>>) => Effect.Effect<A, E>
  /** Whether it waits for the person, at a device, before it asks: until then it can be cancelled. */
  readonly waits?: true
  /** What to say of the answer. */
  readonly done?: (answer: A) => ReactNode
}

type Answers = Readonly<Record<string, string>>

const answersOf = (form: HTMLFormElement): Answers =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value.trim()]] : []))
  )

/** All that a person confirms by a dialog. */
const confirmedOf = <N extends ActionName | null, A, E>({ ask, does, label, preview }: Offer<N, A, E>) => ({
  ask,
  does,
  label,
  preview
})

/** A key that is held down repeats itself: the Enter that opened a dialog confirms nothing in it. */
const ignoreHeldEnter = (event: KeyboardEvent<HTMLElement>) => {
  if (event.key === "Enter" && event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
}

/** The second click of two that opened a dialog confirms nothing in it either, wherever it falls. */
const ignoreDoubleClick = (event: MouseEvent<HTMLElement>) => {
  if (event.detail > 1) event.preventDefault()
}

/** Where the reader is in a dialog at first: at its first question, or at its title where it could be confirmed as it stands. */
const readFrom = "form:valid h2, form:invalid :is(input, select, textarea)"

const openAtTop = (dialog: HTMLDialogElement | null) => {
  dialog?.showModal()
  dialog?.querySelector<HTMLElement>(readFrom)?.focus()
  dialog?.scrollTo(0, 0)
}

/**
 * The dialog of one opening: what is done is what stood there when it was opened, whatever others change meanwhile. It stays where what offered it has
 * gone, and on another screen until an answer that is on its way has come.
 */
export const Opened = <N extends ActionName | null, A, E>({
  now,
  offer,
  onClosed
}: {
  /** What was offered when it was opened. */
  readonly offer: Offer<N, A, E>
  /** What is offered at its place by now; null where nothing is. */
  readonly now: Offer<N, A, E> | null
  readonly onClosed: () => void
}) => {
  const { act, ask = [], does, done, label, preview, tone, waits = false } = offer
  const dialog = useRef<HTMLDialogElement>(null)
  const [key] = useState(() => crypto.randomUUID())
  const cancelling = useRef<AbortController>(undefined)
  const [answer, setAnswer] = useState<ReactNode>(null)
  // until its answer stands here, too: what was done and is not shown yet is not over
  const [isWorking, setWorking] = useState(false)
  // what waits for a device first has asked for nothing until then
  const [isAsked, setAsked] = useState(false)
  const { error, mutateAsync } = useAct(
    ({ answers, cancelled }: { readonly answers: Answers; readonly cancelled: AbortSignal }) =>
      (api) =>
        act(answers, key, cancelled)(callOf<N>(api, does, () => setAsked(true)))
  )
  useEffect(() => openAtTop(dialog.current), [])
  // also where it goes with whoever was signed in
  useEffect(() => () => cancelling.current?.abort(), [])
  const close = () => {
    cancelling.current?.abort()
    dialog.current?.close()
    onClosed()
  }
  const [location] = useLocation()
  const [openedAt] = useState(location)
  const isLeft = location !== openedAt && !isWorking && answer === null
  useEffect(() => {
    if (!isLeft) return
    if (error !== null) tell(error)
    close()
  }, [isLeft])
  const submit = async (form: HTMLFormElement) => {
    setWorking(true)
    setAsked(!waits)
    cancelling.current = new AbortController()
    const asked = { answers: answersOf(form), cancelled: cancelling.current.signal }
    const result = await mutateAsync(asked).then(
      (value) => ({ value }),
      (failure: unknown) => {
        if (dialog.current === null && !(failure instanceof Untouched)) tell(failure)
      }
    )
    setWorking(false)
    // somebody who closed it meanwhile may have opened it anew: that one stays
    if (result === undefined || dialog.current === null) return
    const said = done?.(result.value) ?? null
    if (said === null) close()
    else setAnswer(said)
  }
  // what its answer says is nowhere else, such as a key that was made: until it is there, the dialog stays
  const isOnItsWay = isWorking && isAsked
  const isAwaited = isOnItsWay && done !== undefined
  // what it does itself changes what is offered, too
  const isOpen = answer === null && !isWorking
  const isOutdated = isOpen && now !== null && !isAlike(confirmedOf(offer), confirmedOf(now))
  const isGone = isOpen && now === null
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onKeyDown={ignoreHeldEnter}
      onClose={() => (isAwaited ? dialog.current?.showModal() : close())}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <h2 tabIndex={-1}>{label}</h2>
        {isGone ? (
          <Notice>
            This is not in the page any more: somebody may have decided it, or others have come above it. What you
            confirm is what stands here, and what was decided is refused.
          </Notice>
        ) : null}
        {isOutdated ? (
          <Notice>
            This has changed since you opened it. What you confirm is what stands here; cancel to see what there is now.
          </Notice>
        ) : null}
        <div>{preview}</div>
        {answer === null && does !== null ? <Terms action={does} /> : null}
        {answer === null ? ask.map((one) => <Question key={one.name} asked={one} />) : <Shown>{answer}</Shown>}
        {error === null ? null : <Failed error={error} />}
        <MissingGrant error={error} />
        {isOnItsWay ? <p className="muted">It has been asked: to close this takes nothing back.</p> : null}
        <div className="actions">
          {answer === null ? (
            <button type="submit" className={tone ?? "primary"} disabled={isWorking} onClick={ignoreDoubleClick}>
              {isWorking ? "Working …" : label}
            </button>
          ) : null}
          <button type="button" onClick={close} disabled={isAwaited}>
            {answer === null && !isOnItsWay ? "Cancel" : "Close"}
          </button>
        </div>
      </form>
    </dialog>
  )
}
