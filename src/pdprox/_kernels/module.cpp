// The Python module: turns arrays, which the wrapper in __init__.py has checked, into pointers.
#include <nanobind/nanobind.h>

#include <cstring>

#include "coordinates.hpp"
#include "kernels.hpp"
#include "quadratic.hpp"

namespace nb = nanobind;
using namespace pdprox;

namespace {

// The memory of an array.  The buffer protocol costs a tenth of what nb::ndarray does, and a sweep
// over a small working set takes only microseconds.
class Buffer {
 public:
  explicit Buffer(nb::handle array, bool writable = false) {
    if (array.is_none()) return;
    int flags = (writable ? PyBUF_WRITABLE : 0) | PyBUF_STRIDES;
    if (PyObject_GetBuffer(array.ptr(), &view_, flags)) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  double* doubles() const { return static_cast<double*>(view_.buf); }
  const Py_buffer* operator->() const { return &view_; }

 private:
  Py_buffer view_{};
};

// X: a dense array, or a tuple of data, indices, indptr and the number of columns.
class Operand {
 public:
  explicit Operand(nb::handle X)
      : sparse_(PyTuple_Check(X.ptr())),
        values_(sparse_ ? nb::object(X[0]) : nb::borrow(X)),
        indices_(sparse_ ? nb::object(X[1]) : nb::none()),
        indptr_(sparse_ ? nb::object(X[2]) : nb::none()) {
    matrix.single = values_->itemsize == 4;
    matrix.values = values_->buf;
    if (sparse_) {
      matrix.layout = Layout::csr;
      matrix.n = indptr_->shape[0] - 1;
      matrix.d = nb::cast<Index>(X[3]);
      matrix.wide_indices = indices_->itemsize == 8;
      matrix.wide_indptr = indptr_->itemsize == 8;
      matrix.indices = indices_->buf;
      matrix.indptr = indptr_->buf;
    } else {
      matrix.n = values_->shape[0];
      matrix.d = values_->shape[1];
      bool c_order = matrix.n <= 1 || matrix.d <= 1 || values_->strides[1] == values_->itemsize;
      matrix.layout = c_order ? Layout::c_order : Layout::f_order;
    }
  }

  Matrix matrix{};

 private:
  bool sparse_;
  Buffer values_, indices_, indptr_;
};

// halpern: an empty tuple, or anchor, f and next.  step: a float or an array.
nb::tuple sweep_(nb::handle X, nb::handle w, double b, nb::handle alpha, nb::handle y, nb::handle c,
                 nb::handle kinks, nb::handle slopes, double smoothing, bool margin, nb::handle step,
                 nb::handle out, nb::tuple halpern, nb::handle g) {
  const Operand x(X);
  const bool pull = halpern.size() > 0, one_step = PyFloat_Check(step.ptr());
  const Buffer w_(w), alpha_(alpha), y_(y), c_(c), kinks_(kinks), slopes_(slopes), out_(out, true), g_(g, true);
  const Buffer anchor_(pull ? nb::object(halpern[0]) : nb::none());
  const Buffer next_(pull ? nb::object(halpern[2]) : nb::none(), true);
  const Buffer step_(one_step ? nb::none() : nb::borrow(step));
  const double same_step = one_step ? PyFloat_AS_DOUBLE(step.ptr()) : 0.0;
  const Sweep s{w_.doubles(),
                b,
                alpha_.doubles(),
                y_.doubles(),
                c_.doubles(),
                {kinks_.doubles(), slopes_.doubles(), kinks_->shape[0], smoothing, margin},
                one_step ? &same_step : step_.doubles(),
                one_step ? 0 : 1,
                out_.doubles(),
                anchor_.doubles(),
                pull ? nb::cast<double>(halpern[1]) : 0.0,
                next_.doubles()};
  Sums sums;
  {
    nb::gil_scoped_release release;
    sums = sweep(x.matrix, s, g_.doubles());
  }
  return nb::make_tuple(sums.gb, sums.moved);
}

void forward_(nb::handle X, nb::handle w, double b, nb::handle z) {
  const Operand x(X);
  const Buffer w_(w), z_(z, true);
  nb::gil_scoped_release release;
  forward(x.matrix, w_.doubles(), b, z_.doubles());
}

void backward_(nb::handle X, nb::handle theta, nb::handle g) {
  const Operand x(X);
  const Buffer theta_(theta), g_(g, true);
  nb::gil_scoped_release release;
  backward(x.matrix, theta_.doubles(), g_.doubles());
}

// Samples with known predictions, in the order in which the wrapper names them.
class Surroundings {
 public:
  Surroundings(nb::handle z, nb::handle y, nb::handle alpha, nb::handle c, nb::handle kinks, nb::handle slopes,
               double smoothing, bool margin, double step)
      : z_(z), y_(y), alpha_(alpha), c_(c), kinks_(kinks), slopes_(slopes) {
    around = {z_.doubles(),
              y_.doubles(),
              alpha_.doubles(),
              c_.doubles(),
              {kinks_.doubles(), slopes_.doubles(), kinks_->shape[0], smoothing, margin},
              step};
  }
  Index n() const { return z_->shape[0]; }

  Around around{};

 private:
  Buffer z_, y_, alpha_, c_, kinks_, slopes_;
};

double augmented_(nb::handle z, nb::handle y, nb::handle alpha, nb::handle c, nb::handle kinks, nb::handle slopes,
                  double smoothing, bool margin, double step, nb::handle out, nb::handle theta,
                  nb::handle weights) {
  const Surroundings s(z, y, alpha, c, kinks, slopes, smoothing, margin, step);
  const Buffer out_(out, true), theta_(theta, true), weights_(weights, true);
  nb::gil_scoped_release release;
  return augmented(s.around, s.n(), out_.doubles(), theta_.doubles(), weights_.doubles());
}

nb::tuple along_(nb::handle z, nb::handle dz, nb::handle y, nb::handle alpha, nb::handle c, nb::handle kinks,
                 nb::handle slopes, double smoothing, bool margin, double step, double length) {
  const Surroundings s(z, y, alpha, c, kinks, slopes, smoothing, margin, step);
  const Buffer dz_(dz);
  Derivatives found;
  {
    nb::gil_scoped_release release;
    found = along(s.around, s.n(), dz_.doubles(), length);
  }
  return nb::make_tuple(found.first, found.second);
}

Index room_(nb::handle z, nb::handle y, nb::handle alpha, nb::handle kinks, nb::handle slopes, double smoothing,
            bool margin, nb::handle out) {
  const Surroundings s(z, y, alpha, nb::none(), kinks, slopes, smoothing, margin, 0.0);
  const Buffer out_(out, true);
  nb::gil_scoped_release release;
  return room(s.around, s.n(), out_.doubles());
}

// columns: None or an array of their indices.
double curvature_(nb::handle X, nb::handle h, nb::handle columns, nb::handle H, nb::handle mixed) {
  const Operand x(X);
  const Buffer h_(h), columns_(columns), H_(H, true), mixed_(mixed, true);
  const Index* chosen = columns.is_none() ? nullptr : static_cast<const Index*>(columns_->buf);
  const Index width = H_->shape[0];
  nb::gil_scoped_release release;
  return curvature(x.matrix, h_.doubles(), chosen, width, H_.doubles(), mixed_.doubles());
}

// groups: an empty tuple, or starts, members, charges and whether their sum is squared.
nb::tuple descend_(nb::handle Q, nb::handle single, nb::handle ridge, nb::tuple groups, nb::handle w, nb::handle g,
                   int sweeps, double goal) {
  const bool grouped = groups.size() > 0;
  const Buffer Q_(Q), single_(single), ridge_(ridge), w_(w, true), g_(g, true);
  const Buffer starts(grouped ? nb::object(groups[0]) : nb::none());
  const Buffer members(grouped ? nb::object(groups[1]) : nb::none());
  const Buffer charges(grouped ? nb::object(groups[2]) : nb::none());
  const Quadratic q{Q_->shape[0],
                    Q_.doubles(),
                    single_.doubles(),
                    ridge_.doubles(),
                    grouped ? charges->shape[0] : 0,
                    static_cast<const Index*>(starts->buf),
                    static_cast<const Index*>(members->buf),
                    charges.doubles(),
                    grouped && nb::cast<bool>(groups[3])};
  Moved moved;
  {
    nb::gil_scoped_release release;
    moved = descend(q, w_.doubles(), g_.doubles(), sweeps, goal);
  }
  return nb::make_tuple(moved.first, moved.last);
}

// A: values, rows and starts of its columns.
nb::tuple descend_columns_(nb::tuple A, nb::handle own, nb::handle bias, nb::handle q, nb::handle single,
                           nb::handle ridge, nb::handle w, nb::handle r, double t, int sweeps, double goal) {
  const Buffer values{nb::object(A[0])}, rows_{nb::object(A[1])}, starts{nb::object(A[2])};
  const Buffer own_(own), bias_(bias), q_(q), single_(single), ridge_(ridge), w_(w, true), r_(r, true);
  const Columns columns{starts->shape[0] - 1,
                        values.doubles(),
                        static_cast<const std::int32_t*>(rows_->buf),
                        static_cast<const std::int32_t*>(starts->buf),
                        own_.doubles(),
                        bias_.doubles(),
                        q_.doubles(),
                        single_.doubles(),
                        ridge_.doubles()};
  Moved moved;
  {
    nb::gil_scoped_release release;
    moved = descend(columns, w_.doubles(), r_.doubles(), &t, sweeps, goal);
  }
  return nb::make_tuple(moved.first, moved.last, t);
}

// single: None where no absolute values are charged.
nb::tuple epochs_(nb::handle X, nb::handle y, nb::handle c, nb::handle kinks, nb::handle slopes, double smoothing,
                  bool margin, nb::handle inverse, nb::handle single, nb::handle squares, nb::handle alpha,
                  nb::handle v, nb::handle w, nb::handle order, Index active, double least, double most,
                  std::uint64_t seed, Index visits, double goal) {
  const Operand x(X);
  const Buffer y_(y), c_(c), kinks_(kinks), slopes_(slopes), inverse_(inverse), single_(single), squares_(squares);
  const Buffer alpha_(alpha, true), v_(v, true), w_(w, true), order_(order, true);
  const Coordinates q{y_.doubles(),
                      c_.doubles(),
                      {kinks_.doubles(), slopes_.doubles(), kinks_->shape[0], smoothing, margin},
                      inverse_.doubles(),
                      single_.doubles(),
                      squares_.doubles()};
  Epoch e{active, least, most, seed, 0.0, 0, 0, 0, 0};
  {
    nb::gil_scoped_release release;
    epochs(x.matrix, q, alpha_.doubles(), v_.doubles(), w_.doubles(), static_cast<Index*>(order_->buf), visits, goal, e);
  }
  return nb::make_tuple(e.active, e.least, e.most, e.seed, e.gap, e.free, e.changed, e.visited, e.moved);
}

// state: 14 rows of m numbers.
class Pairs {
 public:
  explicit Pairs(nb::handle state) : buffer_(state, true) { pairs = {buffer_.doubles(), buffer_->shape[1]}; }

  PairState pairs{};

 private:
  Buffer buffer_;
};

void pairs_push_(nb::handle state, double tau, double both) {
  const Pairs s(state);
  nb::gil_scoped_release release;
  pairs_push(s.pairs, tau, both);
}

nb::tuple pairs_follow_(nb::handle state) {
  const Pairs s(state);
  Limits found;
  {
    nb::gil_scoped_release release;
    found = pairs_follow(s.pairs);
  }
  return nb::make_tuple(found.primal, found.dual);
}

double pairs_ahead_(nb::handle state, double primal, double dual) {
  const Pairs s(state);
  nb::gil_scoped_release release;
  return pairs_ahead(s.pairs, primal, dual);
}

void pairs_move_(nb::handle state, double primal, double dual) {
  const Pairs s(state);
  nb::gil_scoped_release release;
  pairs_move(s.pairs, primal, dual);
}

// For tests: every instruction set must give the same answers.
void use(const char* name) {
  for (const RowKernels* each : runnable())
    if (std::strcmp(each->name, name) == 0) {
      rows = each;
      return;
    }
  throw nb::value_error("this machine cannot run these kernels");
}

}  // namespace

NB_MODULE(_compiled, module) {
  nb::list names;
  for (const RowKernels* each : runnable()) names.append(each->name);
  module.attr("instruction_sets") = nb::tuple(names);
  module.def("use", &use);
#ifdef _OPENMP
  module.attr("openmp") = true;
#else
  module.attr("openmp") = false;
#endif
  module.def("sweep", &sweep_);
  module.def("forward", &forward_);
  module.def("backward", &backward_);
  module.def("augmented", &augmented_);
  module.def("along", &along_);
  module.def("room", &room_);
  module.def("curvature", &curvature_, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  module.def("descend", &descend_);
  module.def("descend_columns", &descend_columns_);
  module.def("pairs_push", &pairs_push_);
  module.def("pairs_follow", &pairs_follow_);
  module.def("pairs_ahead", &pairs_ahead_);
  module.def("pairs_move", &pairs_move_);
  module.def("epochs", &epochs_, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg(), nb::arg(), nb::arg());
}
