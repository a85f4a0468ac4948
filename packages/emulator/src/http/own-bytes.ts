// What `slice` gives, since TypeScript before 5.7 knows no `Uint8Array<ArrayBuffer>`.
/** Bytes in memory that is not shared. */
export type OwnBytes = ReturnType<Uint8Array['slice']>
