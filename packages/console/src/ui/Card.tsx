import { type ReactNode, useId } from "react"

/** A part of a screen under a heading of its own. */
export const Card = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
