"""Makes the models here of PaddleOCR's, as PyPI `rapidocr` ships them (needs `onnx`, `numpy`).

    python build_models.py FOLDER_WITH_THE_ORIGINALS

Weights become 8-bit integers with a scale an output channel, which onnxruntime multiplies out once, when it loads
them: a quarter of the size, the same speed. The recogniser's output becomes the best class of each step with its
probability, instead of all 18,710 of them; its list of characters becomes a file.
"""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SMALLEST = 4096
FILES = {"PP-OCRv6_det_small": "detect", "PP-OCRv6_rec_small": "recognise",
         "ch_ppocr_mobile_v2.0_cls_mobile": "upside_down"}


def weights(model):
    """Initializers, and constants as nodes: name to tensor."""
    for tensor in model.graph.initializer:
        yield tensor
    for node in model.graph.node:
        if node.op_type == "Constant":
            yield node.attribute[0].t


def out_axis(model, name):
    for node in model.graph.node:
        if name in node.input:
            return 1 if node.op_type in ("ConvTranspose", "MatMul") else 0
    return 0


def small(model):
    made, nodes, gone = [], [], set()
    for tensor in weights(model):
        values = numpy_helper.to_array(tensor)
        name = tensor.name
        if tensor.data_type != TensorProto.FLOAT or values.ndim < 2 or values.size < SMALLEST:
            continue
        if not name or any(t.name == name for t in made):
            raise SystemExit("a weight without a name")
        axes = tuple(i for i in range(values.ndim) if i != out_axis(model, name))
        scale = np.maximum(np.abs(values).max(axis=axes, keepdims=True), 1e-12) / 127
        made.append(numpy_helper.from_array(np.round(values / scale).astype(np.int8), name + "_int8"))
        made.append(numpy_helper.from_array(scale.astype(np.float32), name + "_scale"))
        nodes.append(helper.make_node("Cast", [name + "_int8"], [name + "_cast"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [name + "_cast", name + "_scale"], [name]))
        gone.add(name)
    kept = [t for t in model.graph.initializer if t.name not in gone]
    rest = [n for n in model.graph.node
            if not (n.op_type == "Constant" and n.attribute[0].t.name in gone)]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept + made)
    del model.graph.node[:]
    model.graph.node.extend(nodes + rest)


def best_only(model):
    output = model.graph.output[0].name
    model.graph.node.append(helper.make_node("ArgMax", [output], ["best64"], axis=2, keepdims=0))
    model.graph.node.append(helper.make_node("Cast", ["best64"], ["best"], to=TensorProto.INT32))
    model.graph.node.append(helper.make_node("ReduceMax", [output], ["probability"], axes=[2], keepdims=0))
    del model.graph.output[:]
    model.graph.output.extend([
        helper.make_tensor_value_info("best", TensorProto.INT32, ["n", "steps"]),
        helper.make_tensor_value_info("probability", TensorProto.FLOAT, ["n", "steps"])])


def main(folder):
    here = Path(__file__).parent
    for theirs, ours in FILES.items():
        model = onnx.load(folder / (theirs + ".onnx"))
        for entry in model.metadata_props:
            if entry.key == "character":
                (here / "characters.txt").write_text(entry.value, encoding="utf-8")
                best_only(model)
        del model.metadata_props[:]
        small(model)
        onnx.checker.check_model(model)
        onnx.save(model, here / (ours + ".onnx"))


main(Path(sys.argv[1]))
