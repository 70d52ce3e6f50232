import { useState } from "react"
import type { ActionName } from "../api/actions.ts"
import { type Offer, Opened } from "./Opened.tsx"
import { tell } from "./told.ts"

interface ActionProps<N extends ActionName | null, A, E> extends Offer<N, A, E> {
  /** The key that opens it: of several on a screen the one where the reader is, else the first. */
  readonly hotkey?: "a"
}

/** A button that says what it will do before it does it, does it once, and says what came of it. */
export const Action = <N extends ActionName | null, A, E>({ hotkey, ...now }: ActionProps<N, A, E>) => {
  const [offer, setOffer] = useState<Offer<N, A, E> | null>(null)
  const open = () => {
    tell(null)
    setOffer(now)
  }
  return (
    <>
      <button type="button" className={now.tone ?? ""} onClick={open} aria-keyshortcuts={hotkey}>
        {now.label}
      </button>
      {offer === null ? null : <Opened offer={offer} now={now} onClosed={() => setOffer(null)} />}
    </>
  )
}
