/**
 * ONNX Runtime tells its makers of each process, model and session from version 1.29 on, unless this variable is set
 * before it is loaded. Imported before it; and by who starts threads that load it, because it reads the environment of
 * the process, and a thread has but a copy.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
