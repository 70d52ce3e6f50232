import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { Option, Schema } from "effect"
import { toIso } from "@bursar/core/base/Timestamp"

/** No record is nested deeper by the service: what is, somebody has written past it, and no answer could hold it. */
const depthMax = 100

const isShallow = (parsed: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [parsed]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) return false
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return true
}

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const readValues = (text: string): Option.Option<Schema.Json> =>
  parse(text).pipe(Option.filter(isShallow), Option.flatMap(Schema.decodeUnknownOption(Schema.Json)))

const unreadable = "Its values cannot be read: somebody has changed it past the service. Verify the log."

/** The values of a record. Where somebody has changed them to what cannot be read, the record says so, and hides no other. */
const valuesOf = ({ content }: AuditRecord): Pick<AuditEntry, "problem" | "values"> =>
  content === null
    ? { values: null, problem: null }
    : Option.match(readValues(content.values), {
        onNone: () => ({ values: null, problem: unreadable }),
        onSome: (values) => ({ values, problem: null })
      })

/** A record of what an operator did. */
export const entryToWire = (record: AuditRecord): AuditEntry => ({
  id: record.id,
  action_id: record.actionId,
  at: toIso(record.at),
  operator: record.operator,
  role: record.role,
  method: record.method,
  route: record.route,
  params: record.params,
  status: record.status,
  request_id: record.requestId,
  address: record.address,
  digest: record.content?.digest ?? null,
  ...valuesOf(record),
  previous_hash: record.previousHash,
  hash: record.hash
})
