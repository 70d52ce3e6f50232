import { Effect } from "effect"
import { useRef } from "react"
import { useAct } from "../../api/hooks.ts"
import { Untouched } from "../../api/Untouched.ts"
import { Failed } from "../../ui/Notice.tsx"
import type { FileStatements } from "./statementsTold.ts"

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value.trim() : ""
}

const mappingOf = (text: string) =>
  Effect.try({
    try: (): { readonly [name: string]: never } => JSON.parse(text),
    catch: () => new Untouched("invalid_request", "The mapping is no JSON.")
  })

/** Asks for a file and what it does not say of itself, and has the service read it. */
export const ReadFile = ({
  places,
  read
}: {
  readonly places: ReadonlyArray<string>
  /** Is given what was read, and null as soon as the form says something else. */
  readonly read: (statements: FileStatements | null) => void
}) => {
  const changes = useRef(0)
  const { error, isPending, mutateAsync } = useAct(
    ({ content, form }: { content: string; form: FormData }) =>
      (api) => {
        const [account, from, id, mapping, to] = ["account", "from", "id", "mapping", "to"].map((name) =>
          textOf(form, name)
        )
        return Effect.flatMap(mapping ? mappingOf(mapping) : Effect.succeed(undefined), (columns) =>
          api.reconciliation.readStatementFile({
            payload: {
              place: textOf(form, "place"),
              format: columns === undefined ? "camt053" : "csv",
              content,
              ...(columns !== undefined && { mapping: columns }),
              ...(account && { account }),
              ...(id && { id }),
              ...(from && { from }),
              ...(to && { to })
            }
          })
        )
      }
  )
  const submit = async (form: FormData) => {
    const file = form.get("file")
    const before = changes.current
    const content = file instanceof File ? await file.text() : ""
    await mutateAsync({ content, form }).then(
      ({ statements }) => {
        if (before === changes.current) read(statements)
      },
      () => undefined
    )
  }
  return (
    <form
      className="filters"
      onChange={() => {
        changes.current += 1
        read(null)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        void submit(new FormData(event.currentTarget))
      }}
    >
      <label>
        Place
        <select name="place">
          {places.map((place) => (
            <option key={place}>{place}</option>
          ))}
        </select>
      </label>
      <label>
        File: CAMT.053 or CSV, in UTF-8
        <input type="file" name="file" required />
      </label>
      <label>
        Account that it has to be of
        <input name="account" autoComplete="off" />
      </label>
      <label>
        CSV: which columns say what, as JSON
        <textarea name="mapping" placeholder='{"columns":{"at":"date","amount":"amount"},"currency":"EUR"}' />
      </label>
      <label>
        CSV: its name
        <input name="id" autoComplete="off" />
      </label>
      <label>
        CSV: from
        <input name="from" autoComplete="off" placeholder="2026-11-01T00:00:00Z" />
      </label>
      <label>
        CSV: to
        <input name="to" autoComplete="off" placeholder="2026-12-01T00:00:00Z" />
      </label>
      <button type="submit" disabled={isPending}>
        Read the file
      </button>
      {error === null ? null : <Failed error={error} />}
    </form>
  )
}
