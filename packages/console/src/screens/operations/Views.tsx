import { useState } from "react"
import { Link } from "wouter"
import { forgetView, keepView, useViews } from "./views.ts"

/** Views that somebody has kept, and the way to keep the filters of now. */
export const Views = ({ search }: { readonly search: string }) => {
  const views = useViews()
  const [name, setName] = useState("")
  const here = views.find((view) => view.search === search)
  return (
    <div className="views">
      {views.map((view) => (
        <Link
          key={view.name}
          href={`/operations${view.search === "" ? "" : `?${view.search}`}`}
          aria-current={view === here ? "page" : undefined}
        >
          {view.name}
        </Link>
      ))}
      {here !== undefined ? (
        <button type="button" onClick={() => forgetView(here.name)}>
          Forget this view
        </button>
      ) : search === "" ? null : (
        <form
          className="actions"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() === "") return
            keepView({ name: name.trim(), search })
            setName("")
          }}
        >
          <input
            aria-label="Name of the view"
            placeholder="Name these filters"
            maxLength={40}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit">Keep the view</button>
        </form>
      )}
    </div>
  )
}
