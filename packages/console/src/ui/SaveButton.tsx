import { Effect, Stream } from "effect"
import { useState } from "react"
import { type Api, call } from "../api/client.ts"
import { Failed } from "./Notice.tsx"
import { saveFile } from "./saveFile.ts"

interface SaveButtonProps<E, E2> {
  readonly label: string
  readonly name: string
  readonly type: string
  readonly bytes: (api: Api) => Effect.Effect<Stream.Stream<Uint8Array, E2>, E>
}

const kibibytes = (size: number): string => `${Math.ceil(size / 1024).toLocaleString()} KiB`

/** Reads a file from the service, says how much of it is there, and gives it to the browser once it is whole. */
export const SaveButton = <E, E2>({ bytes, label, name, type }: SaveButtonProps<E, E2>) => {
  const [read, setRead] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const save = () => {
    const parts: Array<BlobPart> = []
    let size = 0
    setError(null)
    setRead(0)
    const collect = (stream: Stream.Stream<Uint8Array, E2>) =>
      Stream.runForEachArray(stream, (chunks) => {
        for (const chunk of chunks) {
          parts.push(new Uint8Array(chunk))
          size += chunk.length
        }
        setRead(size)
        return Effect.void
      })
    call((api) => Effect.flatMap(bytes(api), collect)).then(
      () => {
        saveFile(name, parts, type)
        setRead(null)
      },
      (failure: unknown) => {
        setError(failure)
        setRead(null)
      }
    )
  }
  return (
    <>
      <button type="button" onClick={save} disabled={read !== null}>
        {label}
      </button>
      <span role="status">{read === null ? "" : `${kibibytes(read)} are there`}</span>
      {error === null ? null : <Failed error={error} />}
    </>
  )
}
