import type { ReactNode } from "react"
import { problemOf } from "../api/problem.ts"
import { Foreign } from "./Foreign.tsx"

/** Something that the person should read before going on. */
export const Notice = ({
  children,
  tone = "plain"
}: {
  readonly children: ReactNode
  readonly tone?: "plain" | "good" | "bad"
}) => (
  <div className={`notice ${tone}`} role={tone === "bad" ? "alert" : "status"}>
    {children}
  </div>
)

/** What went wrong, and the id under which the logs have it. */
export const Failed = ({ error }: { readonly error: unknown }) => {
  const { code, fields, message, requestId } = problemOf(error)
  return (
    <Notice tone="bad">
      <Foreign text={message} /> <span className="mono">{code}</span>
      {requestId === null ? null : <span className="mono"> · request {requestId}</span>}
      {fields.map((field) => (
        <div key={field}>
          <Foreign text={field} />
        </div>
      ))}
    </Notice>
  )
}
