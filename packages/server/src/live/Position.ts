import { type LiveTopic, liveTopics } from "@bursar/api/operator/LiveGroup"
import type { Timestamp } from "@bursar/core/base/Timestamp"

/**
 * How far somebody has read: the moment of the newest commit, but none that the clock has not come to, and of each topic a version that differs once something is new. It says the
 * same in every process, so a stream that broke goes on at another.
 */
export interface Position {
  readonly at: Timestamp
  readonly versions: Readonly<Record<LiveTopic, string>>
}

const written = /^v1~(\d{1,15})((?:~[0-9a-f.-]{1,120}){5})$/u

/** A position as the id of an event. */
export const writePosition = ({ at, versions }: Position): string =>
  ["v1", String(at), ...liveTopics.map((topic) => versions[topic])].join("~")

/** The position that an id of an event says; undefined where it is none. */
export const readPosition = (text: string): Position | undefined => {
  const [, at, rest = ""] = written.exec(text) ?? []
  if (at === undefined) return undefined
  const [operations = "", deposits = "", service = "", actions = "", networks = ""] = rest.slice(1).split("~")
  return { at: Number(at), versions: { operations, deposits, service, actions, networks } }
}

/** What has changed between two positions. */
export const topicsBetween = (one: Position, other: Position): ReadonlyArray<LiveTopic> =>
  liveTopics.filter((topic) => one.versions[topic] !== other.versions[topic])
