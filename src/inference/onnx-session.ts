/** An ONNX graph that runs on one thread: the only file that knows `onnxruntime-node`. */
import './no-telemetry.ts';
import { InferenceSession, Tensor } from 'onnxruntime-node';

type TensorData = Float32Array | BigInt64Array;

export interface OnnxTensor<Data extends TensorData = TensorData> {
  readonly data: Data;
  readonly shape: readonly number[];
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  /** Outputs by name; float32 or int32, whatever the graph says. */
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxOutput>>>;
  release(): Promise<void>;
}

interface OnnxOutput {
  readonly data: Float32Array | Int32Array;
  readonly shape: readonly number[];
}

/** @param keepsMemory for the next run; without it, runs of ever other shapes do not add up. */
export async function openOnnx(file: string, { keepsMemory = true } = {}): Promise<OnnxSession> {
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableCpuMemArena: keepsMemory,
    enableMemPattern: keepsMemory,
  });
  return {
    inputNames: session.inputNames,
    run: async (inputs) => {
      const feeds = Object.entries(inputs).map(([name, { data, shape }]) => [name, tensorOf(data, shape)]);
      const outputs = await session.run(Object.fromEntries(feeds) as Record<string, Tensor>);
      return Object.fromEntries(
        Object.entries(outputs).map(([name, { data, dims }]) => [name, { data, shape: dims } as OnnxOutput]),
      );
    },
    release: () => session.release(),
  };
}

const tensorOf = (data: TensorData, shape: readonly number[]): Tensor =>
  data instanceof Float32Array ? new Tensor('float32', data, shape) : new Tensor('int64', data, shape);
