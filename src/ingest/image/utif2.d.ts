/** The used part of `utif2`, whose own types want all of Node's of another version. */
declare module 'utif2' {
  interface Directory {
    readonly width: number;
    readonly height: number;
    data?: Uint8Array;
  }
  const utif: {
    decode(bytes: ArrayBuffer, options: { readonly parseMN: boolean }): Directory[];
    decodeImage(bytes: ArrayBuffer, directory: Directory): void;
    toRGBA8(directory: Directory): Uint8Array;
  };
  export default utif;
}
