import { useEffect, useState } from "react"
import type { ActionName } from "../api/actions.ts"
import { useToldAbout } from "./About.tsx"
import { type Offer, Opened } from "./Opened.tsx"
import { hide, isOpen, show } from "./openings.ts"
import { tell } from "./told.ts"

interface ActionProps<N extends ActionName | null, A, E> extends Offer<N, A, E> {
  /** The key that opens it: of several on a screen the one where the reader is, else the first. */
  readonly hotkey?: "a"
}

/** A button that says what it will do before it does it, does it once, and says what came of it. */
export const Action = <N extends ActionName | null, A, E>({ hotkey, ...offered }: ActionProps<N, A, E>) => {
  const now = { ...offered, preview: useToldAbout(offered.preview) }
  const [opened, setOpened] = useState<{ readonly id: string; readonly offer: Offer<N, A, E> } | null>(null)
  useEffect(() => {
    if (opened === null) return
    const { id, offer } = opened
    const close = () => {
      hide(id)
      setOpened(null)
    }
    show(id, <Opened offer={offer} now={now} onClosed={close} />)
  })
  useEffect(() => {
    if (opened === null) return undefined
    const { id, offer } = opened
    return () => {
      if (isOpen(id)) show(id, <Opened offer={offer} now={null} onClosed={() => hide(id)} />)
    }
  }, [opened])
  const open = () => {
    tell(null)
    setOpened({ id: crypto.randomUUID(), offer: now })
  }
  return (
    <button type="button" className={now.tone ?? ""} onClick={open} aria-keyshortcuts={hotkey}>
      {now.label}
    </button>
  )
}
