import type { ReactNode } from "react"

/** What a state means to a person at a glance. */
export type Tone = "plain" | "good" | "warn" | "bad"

/** A short word on a coloured ground; the word alone says what it means. */
export const Badge = ({ children, tone = "plain" }: { readonly children: ReactNode; readonly tone?: Tone }) => (
  <span className={`badge ${tone}`}>{children}</span>
)
